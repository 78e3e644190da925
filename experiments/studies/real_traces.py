"""The papers' experiments on real traces: writes experiments/papers/real-traces.toml, which the page of claims shows.

    python experiments/studies/real_traces.py FOLDER [STORE]

FOLDER has the traces, which are not ours to distribute; those that are not there have no row. Drives, schemes and
sizes are those of the experiments behind the claims (`F7` of differentiated ECC, `F5` and `F5-tight` of WOM-v, `F10`
and `F12` of LX-SSD), so a head of a trace has a drive of the published address space where the paper says so. Second
writes have the drives of `second_writes.py`, hardly larger than what a trace touches, until eight times the capacity
was written.
"""

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rewear.core.errors import RewearError
from rewear.core.strict import Table
from rewear.core.trace import Trace
from rewear.reproduce.experiment import read_experiment
from rewear.reproduce.number import Number, UnknownError, asked_of, evaluate, parse_number
from rewear.reproduce.real_traces import FILE
from rewear.reproduce.sources import Counts, Originals, Source, read_sources
from rewear.reproduce.swept import Swept
from rewear.reproduce.words import write_number
from rewear.sweep import Sweep
from rewear.sweep.store import Store
from second_writes import FEWEST_BLOCKS, measure_rules, of_trace

PAPERS = Path(__file__).parents[1] / "papers"

TRACES = {
    "hm_0": ("msr_hm_0_*", "a head of 1,000 of MSR Cambridge's 3,993,316 requests"),
    "hm_1": ("msr_hm_1_*", "a head of 5,000 of MSR Cambridge's 609,311 requests"),
    "Financial1": ("umass_Financial1_*", "a head of 10,000 of UMass' 5,334,987 requests"),
    "RocksDB": ("rocksdb_ssdTrace*", "YCSB on RocksDB, the trace that the WOM-v paper names"),
    "web server": ("blkreplay_linux-webserver*", "an hour of a web server, whole"),
    "FIU mail": ("fiu_mail_cheetah*", "a head of 9,998 requests, with hashes of contents"),
    "DTRS": ("mspsDTRS*", "five minutes of Microsoft's production servers"),
    "virtual machine": ("cloudphysics*", "two hours of a virtual machine, whole"),
}
"""Names, patterns of file names, and what they are."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A table of the file."""

    paper: str
    says: str
    traces: Sequence[str]
    columns: Mapping[str, dict[str, Any]]
    """Results as numbers of a claim; `of` an experiment."""
    published: Sequence[str] = ()
    note: str = ""
    loops: Mapping[str, int] = field(default_factory=dict)
    """How often a trace is replayed; once unless given."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """Names in `traces.toml` of the paper, whose published address space sizes the drive of a head."""
    tests: Sequence[str] = ()
    """For each column the part of a claim that it tests; empty for none."""


def change(figure: str, experiment: str, axis: str, new: str, old: str) -> dict[str, Any]:
    """One drive's figure relative to another's."""
    return {"figure": figure, "experiment": experiment, "of": {axis: new}, "to": {axis: old}, "unit": "change"}


ECC = {
    f"{what}, {scheme}": change(figure, "F7", "scheme", scheme, "normal")
    for what, figure in (
        ("mean", "mean_response_ns"),
        ("writes", "latency_ns.write.mean"),
        ("reads", "latency_ns.read.mean"),
    )
    for scheme in ("design", "AGCR")
}
WOM = {
    **{
        f"erases, {code}": change("erase_equivalents", "F5", "code", code, "NO-WOM")
        for code in ("(2,4)", "(1,4)", "(2,4) GC_OPT", "(1,4) GC_OPT")
    },
    "data until worn over MLC, (2,4) GC_OPT": {
        "figure": "bytes_until_worn",
        "experiment": "F5-tight",
        "take": "ratio",
        "of": {"code": "(2,4) GC_OPT"},
        "to": {"code": "MLC"},
        "unit": "factor",
    },
}
LX = {
    "writes removed, order of use": {
        "figure": "writes_removed",
        "experiment": "F10",
        "at": {"store": "128K", "order": "LRU"},
        "unit": "percent",
    },
    "by probability": {
        "figure": "writes_removed",
        "experiment": "F10",
        "at": {"store": "128K", "order": "PROB by values"},
        "unit": "percent",
    },
    "response, order of use": change("mean_response_ns", "F12", "order", "LRU", "plain"),
    "response, by probability": change("mean_response_ns", "F12", "order", "PROB", "plain"),
}

ASKED = (
    Asked(
        "differentiated-ecc",
        "Mean response, of writes and of reads, against the normal drive, on real traces",
        ("hm_0", "Financial1", "hm_1"),
        ECC,
        note="Drives of Table II's address space. The paper has -47, -52 and -32% for the design and -30, -45 and -2% "
        "for AGCR, in this order; its writes are 48% faster on average of fifteen traces.",
        beside={"hm_0": "hm0", "Financial1": "Financial1", "hm_1": "hm1"},
        tests=("F7: design", "F7: AGCR", "F8: writes, mean", "", "F8: reads, mean", ""),
    ),
    Asked(
        "lx",
        "A store of 128K entries, on a real trace",
        ("FIU mail",),
        LX,
        ("10.5 to 18.4%", "10.5 to 18.4%", "+28.5%", "\N{MINUS SIGN}13.3%"),
        "The head writes 1,102 pages: the store is never full, and nothing is erased. So it tests no claim.",
    ),
    Asked(
        "wom-v",
        "Erases against NO-WOM, and data until worn, on real traces",
        ("RocksDB", "FIU mail", "web server", "virtual machine"),
        WOM,
        (
            "\N{MINUS SIGN}68 to \N{MINUS SIGN}71%",
            "half of (2,4)'s",
            "\N{MINUS SIGN}77 to \N{MINUS SIGN}83%",
            "\N{MINUS SIGN}82 to \N{MINUS SIGN}91%",
            "x 3.5",
        ),
        "Traces are replayed until they have written several times what the drive holds. Begun cycles count: most "
        "of these runs end before a coded drive erases at all. Hardly a page is moved: \N{MINUS SIGN}71.4% is "
        "1 \N{MINUS SIGN} 2/7, x 2.1 is 7 times 0.3.",
        {"RocksDB": 4, "FIU mail": 60, "web server": 12, "virtual machine": 12},
        tests=("F5: (2,4)", "", "F5: (2,4) GC_OPT", "F5: (1,4) GC_OPT", "F13: mean, GC_OPT"),
    ),
)

SECOND_WRITES = ("hm_0", "hm_1", "Financial1", "RocksDB", "web server", "FIU mail", "DTRS")


def found(folder: Path) -> dict[str, Path]:
    """The traces of the folder by name."""
    files = Originals(folder)
    return {name: file for name, (pattern, _) in TRACES.items() if (file := files.find((pattern,))) is not None}


def table_of(asked: Asked, files: Mapping[str, Path], store: Store) -> dict[str, Any]:
    """Results of the experiments of a table."""
    names = [name for name in asked.traces if name in files]
    numbers = {says: _number(keys) for says, keys in asked.columns.items()}
    runs = {
        experiment: _run(asked, list(numbers.values()), experiment, {name: files[name] for name in names}, store)
        for experiment in dict.fromkeys(number.experiment for number in numbers.values())
    }
    rows = []
    for name in names:
        cells = []
        for says, number in numbers.items():
            try:
                value = evaluate(number.placed({"trace": name}), runs[number.experiment])[""]
                cells.append(write_number(value, asked.columns[says]["unit"]))
            except UnknownError as error:
                print(f"{asked.paper}, {name}, {says}: {error}", file=sys.stderr)
                cells.append("-")
        rows.append([name, *cells])
    return {
        "paper": asked.paper,
        "says": asked.says,
        "columns": list(asked.columns),
        "published": list(asked.published),
        "tests": list(asked.tests),
        "like": {trace: name for trace, name in asked.beside.items() if trace != name},
        "rows": rows,
        "note": asked.note,
    }


def _number(keys: dict[str, Any]) -> Number:
    return parse_number(Table(keys, Path(__file__), "", ()), None)


def _run(asked: Asked, numbers: Sequence[Number], experiment: str, files: Mapping[str, Path], store: Store) -> Swept:
    folder, counts = PAPERS / asked.paper, Counts(store)
    published = read_sources(folder / "traces.toml", Originals(None))
    sources = {name: _source(asked, name, file, published, counts) for name, file in files.items()}
    work = read_experiment(folder / f"{experiment}.toml", sources, counts, quick=False, use=tuple(sources)).work
    assert isinstance(work, Sweep)
    is_asked = asked_of(numbers, experiment, work.description)
    work.jobs = tuple(job for job in work.jobs if is_asked(job.coordinates))
    return Swept(work.run(store=store.folder))


def _source(asked: Asked, name: str, file: Path, published: Mapping[str, Source], counts: Counts) -> Source:
    settings: dict[str, Any] = {"trace": str(file), "replay.fit": "dense", "replay.loops": asked.loops.get(name, 1)}
    source = Source(name, settings, file, None, 4096, 1.0, True)
    if name not in asked.beside:
        return source
    stand_in = published[asked.beside[name]]
    assert stand_in.stated is not None
    pages = replace(stand_in.stated, pages=round(stand_in.stated.pages / stand_in.scale))
    return replace(source, stated=pages, page_bytes=stand_in.page_bytes, cut_to=counts.requests(file))


def second_writes(files: Mapping[str, Path]) -> dict[str, Any]:
    """Erases with second writes relative to the plain drive."""
    rows = []
    for name in (name for name in SECOND_WRITES if name in files):
        cells = []
        for over_provisioning in (0.07, 0.28):
            row = of_trace(files[name], over_provisioning, FEWEST_BLOCKS, skip_trims=True)
            erases = measure_rules(row, over_provisioning, 8)["erases"]
            cells += [write_number(share - 1, "change") for share in erases]
        rows.append([name, *cells])
    published = "\N{MINUS SIGN}33 to \N{MINUS SIGN}40%"
    rules = ("the paper's rule", "the same, never succeeds", "for hot writes", "for hot writes, never succeeds")
    return {
        "paper": "second-write",
        "says": "Erases with second writes, without a guard, against the standard drive, on real traces",
        "columns": [f"{op} of spare space, {rule}" for op in ("7%", "28%") for rule in rules],
        "published": [published, "", published, ""] * 2,
        "tests": ["F7: few large requests, 7%", "", "", "", "F7: few large requests, 28%", "", "", ""],
        "rows": rows,
        "note": "Drives hardly larger than what a trace touches, with planes of 512 blocks and more, written eight "
        "times over: the hardest case. What second writes save that never succeed is spare space that the rule lends.",
    }


def written(traces: Mapping[str, Path], tables: Sequence[Mapping[str, Any]]) -> str:
    """The file as TOML; texts of JSON are texts of TOML."""
    lines = [
        "# What the papers' experiments give on real traces, which are not ours to distribute.",
        "# Written by `python experiments/studies/real_traces.py FOLDER`; do not edit.",
    ]
    for name, path in traces.items():
        content = path.read_bytes()
        trace = {
            "name": name,
            "what": TRACES[name][1],
            "file": path.name,
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "requests": int(Trace(path).info()["requests"]),
        }
        lines += ["", "[[trace]]", *_keys(trace)]
    for table in tables:
        lines += ["", "[[table]]", *_keys({key: value for key, value in table.items() if key != "rows"})]
        lines += ["rows = [", *(f"  {json.dumps(row, ensure_ascii=False)}," for row in table["rows"]), "]"]
    return "\n".join(lines) + "\n"


def _keys(values: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {_toml(value)}" for key, value in values.items() if value not in ("", [], {})]


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{json.dumps(key)} = {json.dumps(own)}' for key, own in value.items())} }}"
    return json.dumps(value, ensure_ascii=False)


def main() -> None:
    """Measures, and writes the file."""
    files = found(Path(sys.argv[1]))
    store = Store(sys.argv[2] if len(sys.argv) > 2 else "out/runs")
    try:
        tables = [second_writes(files), *(table_of(asked, files, store) for asked in ASKED)]
    except RewearError as error:
        sys.exit(f"error: {error}")
    used = {row[0] for table in tables for row in table["rows"]}
    text = written({name: file for name, file in files.items() if name in used}, tables)
    (PAPERS / FILE).write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
