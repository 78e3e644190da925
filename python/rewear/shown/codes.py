"""The study of the codes: tables, and charts of frame error rates against raw bit error rates."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rewear.core.ask import ask
from rewear.figures.units import format_number
from rewear.page.blocks import Answer, Column, Part, columns_of, table_of
from rewear.page.chart import Axis, Chart, Layer, Row, colours_of
from rewear.shown.physics import physics_tables

DECODERS = {
    "min-sum": "hard, min-sum",
    "soft-3": "soft, 3 references",
    "soft-7": "soft, 7 references",
}
_READINGS = {
    "clean-spare": "extra cells are clean spare cells (figure 4)",
    "all-programmed": "all cells are half programmed",
}


def _section(name: str, tables: dict[str, Any]) -> list[Part]:
    """The tables of a section, each followed by an empty line."""
    writers: dict[str, Callable[[dict[str, Any]], Sequence[Part]]] = {
        "rivest-shamir": _rivest_shamir,
        "polar-wom": _polar_wom,
        "wom-v": _wom_v,
        "flip-n-write": _flip_n_write,
        "mlc-cell": _mlc_cell,
        "bch": _bch,
        "ldpc": _ldpc,
        "physics": physics_tables,
    }
    return [part for table in writers[name](tables) for part in (table, "")]


def format_rate(rate: dict[str, Any] | None) -> str:
    """A rate with its interval, in percent: `95.6% (94.1-96.7)`."""
    if rate is None:
        return "-"
    if rate["trials"] == 0:
        return "no failures"
    return f"{_percent(rate['rate'])}% ({_percent(rate['low'])}-{_percent(rate['high'])})"


def _percent(share: float) -> str:
    value = 100 * share
    # Rates near the ends need their digits; 0 and 100 are exact.
    return f"{value:.0f}" if value in (0, 100) else f"{value:.1f}" if 1 <= value <= 99 else f"{value:.2f}"


def _rivest_shamir(tables: dict[str, list[Any]]) -> list[Part]:
    columns = (("data", "{data}"), ("1st write", "{first}"), ("2nd write", "{second}"))
    printed = [table_of(f"Rivest-Shamir code, {each['table']}", each["rows"], columns) for each in tables["tables"]]
    found = (("messages", "{messages}"), ("binary cells", "{cells}"), ("most generations", "{max_generations}"))
    return [*printed, table_of("Search over all binary WOM codes", tables["search"], found)]


def _rates(**titles: str) -> list[Column]:
    """Columns of rates with their intervals: their keys and titles."""
    return [(title, lambda row, key=key: format_rate(row[key])) for key, title in titles.items()]  # type: ignore[misc]


def _polar_wom(tables: dict[str, list[Any]]) -> list[Part]:
    storage = ("storage", "{storage_percent:g}%")
    columns: list[Column] = [
        storage,
        ("message bits", "{message_bits:,}"),
        ("spare B/page", "{spare_bytes:.0f}"),
        ("paper", lambda row: "-" if row["paper"] is None else f"{100 * row['paper']:g}%"),
        *_rates(one_attempt="one attempt", with_dither="+ new dither", with_rotation="+ rotation"),
    ]
    again: list[Column] = [
        storage,
        *_rates(first="first attempt", dither_after_failure="dither after failure",
                rotation_after_failure="rotation after failure", with_dither="in all, dither",
                with_rotation="in all, rotation"),
        ("if independent", lambda row: f"{_percent(row['independent'])}%"),
    ]  # fmt: skip
    title = "Success of a second write on two 4 KB pages (second-write, Table 2)"
    return [
        *(
            table_of(f"{title}; {meaning}", [row for row in tables["table_2"] if row["reading"] == reading], columns)
            for reading, meaning in _READINGS.items()
        ),
        table_of("A retry on the same pages (second-write, section 5.6)", tables["retries"], again),
    ]


def _wom_v(tables: dict[str, list[Any]]) -> list[Part]:
    def checked(check: str, title: str) -> list[Column]:
        exact = (title, lambda row: format_number(row[check]["exact"], 4))
        return [exact, ("measured", f"{{{check}[measured][mean]:.2f}} ± {{{check}[measured][half_width]:.2f}}")]

    code = ("code", "{code}")
    writes: list[Column] = [
        code,
        ("no-read", "{no_read}"),
        *checked("pre_check", "pre-check"),
        *checked("post_check", "post-check"),
        *checked("without_ecc", "no ECC"),
        ("invalid at crossing", lambda row: _mean_percent(row["invalid_share_at_crossing"], "mean")),
        ("released code", lambda row: format_number(row["released_code"], 4)),
    ]
    flips, theory = tables["flip_rates"], tables["erase_factors"]
    return [
        *(f"{each['table'].rstrip()}\nGenerations in the paper: {each['paper_generations']}"
          for each in tables["tables"]),
        table_of(
            "Writes of random data per page of about 8192 cells, ECC threshold 3%: exact and measured",
            tables["writes"],
            writes,
        ),
        table_of(
            "Writes per page by bits flipped a write, post-check",
            flips,
            [code, *columns_of(flips, "mean_writes", lambda mean: f"{100 * mean['flip_rate']:g}%",
                               lambda mean: format_number(mean["post_check"], 3))],
        ),
        table_of(
            "Erases against the plain drive in theory, by how full that is; uniformly random writes, greedy cleaning",
            theory,
            [code, ("check", "{mode}"), ("writes", lambda row: format_number(row["writes"], 3)),
             *columns_of(theory, "factors", lambda factor: f"{100 * factor['fullness']:g}% full",
                         lambda factor: "-" if factor["relative"] is None else f"{100 * factor['relative']:.0f}%")],
        ),
    ]  # fmt: skip


def _mean_percent(mean: dict[str, Any], key: str) -> str:
    return f"{100 * mean[key]:.2f}% ± {100 * mean['half_width']:.2f}"


def _flip_n_write(tables: dict[str, list[Any]]) -> list[Part]:
    columns: list[Column] = [
        ("word bits", "{word_bits}"),
        ("at most", lambda row: f"{100 * row['max_share']:g}%"),
        ("random data", lambda row: _mean_percent(row, "mean_share")),
    ]
    return [table_of("Flip-N-Write: cells changed per data bit and write", tables["changes"], columns)]


def _mlc_cell(tables: dict[str, list[Any]]) -> list[Part]:
    columns: list[Column] = [
        *((key, f"{{{key}}}") for key in ("state", "page", "bit", "next")),
        ("number", lambda row: "-" if row["number"] is None else str(row["number"])),
        ("effect", "{effect}"),
    ]
    safe = [" ".join(row["order"]) for row in tables["orders"] if row["safe"]]
    counted = f"{len(safe)} of {len(tables['orders'])} orders of up to four programs are safe for all data:"
    table = table_of("MLC cell (seal, figure 3)", tables["transitions"], columns, numbers=False)
    return [table, "\n  ".join([counted, *safe])]


def _bch(tables: dict[str, list[Any]]) -> list[Part]:
    limits: list[Column] = [
        ("data", "{data_bytes} B"),
        ("parity budget", "{parity_budget_percent:g}%"),
        ("t", "{t}"),
        ("parity B", "{parity_bytes}"),
        ("parity", "{parity_percent:.2f}%"),
        ("RBER", "{rber:.3e}"),
    ]
    rates: list[Column] = [
        ("code", "{data_bytes} B, t = {t}"),
        *_FRAMES,
        ("expected", lambda row: f"{_percent(row['expected'])}%"),
        ("wrongly corrected", "{miscorrected}"),
    ]
    return [
        table_of("BCH: raw bit error rate at UBER 1e-15", tables["limits"], limits),
        table_of("BCH: measured", tables["frame_error_rates"], rates),
    ]


def _ldpc(tables: dict[str, list[Any]]) -> list[Part]:
    columns: list[Column] = [
        ("decoder", lambda row: DECODERS[row["decoder"]]),
        *_FRAMES,
        ("rounds", "{mean_iterations:.1f}"),
    ]
    title = "LDPC, {data_bytes} B data + {parity_bytes} B parity (rate {rate:.3f}): measured"
    return [
        table_of(
            title.format_map(code),
            [row for row in tables["frame_error_rates"] if row["parity_bytes"] == code["parity_bytes"]],
            columns,
        )
        for code in tables["codes"]
    ]


def _frames(row: dict[str, Any]) -> str:
    return format_rate({"rate": row["frame_error_rate"], "low": row["low"], "high": row["high"], "trials": 1})


_FAILED = "{frame_errors} of {trials[frames]}"
_FRAMES: list[Column] = [("RBER", "{rber:.3g}"), ("frame error rate", _frames), ("failed", _FAILED)]


def codes_answer(results: dict[str, Any]) -> Answer:
    """The tables of all sections, and charts of frame error rates; the same study gives the same bytes."""
    about = (
        f"Random data encoded, damaged and decoded on real bits, {results['samples']:,} codewords a point. Bit errors "
        "are independent; the raw bit error rate is that of a hard read, also where the decoder reads soft. Intervals "
        "are Wilson's at 95%."
    )
    sections = results["sections"]
    return Answer(
        "codes",
        "Frame error rates of the codes",
        [about],
        [part for name, tables in sections.items() for part in _section(name, tables)],
        list(_charts(sections)),
        notes=[("", f"{results['samples']} samples, seed {results['seed']}.")],
        data=sections,
        ending=f", seed {results['seed']}",
    )


def _charts(sections: dict[str, Any]) -> Iterator[Chart]:
    points = "Points: measured, with 95% intervals; hollow: no frame failed"
    for data_bytes in sorted(
        {row["data_bytes"] for row in sections.get("bch", _NONE)["frame_error_rates"]}, reverse=True
    ):
        by_t: dict[str, list[dict[str, Any]]] = {}
        for row in sections["bch"]["frame_error_rates"]:
            if row["data_bytes"] == data_bytes:
                by_t.setdefault(f"t = {row['t']} ({_parity(row)})", []).append(row)
        caption = f"{points}. Lines: the binomial tail beyond t errors."
        yield _chart(f"BCH, {data_bytes} B of data, by t (and parity)", caption, by_t)
    for code in sections.get("ldpc", _NONE)["codes"]:
        rows = [row for row in sections["ldpc"]["frame_error_rates"] if row["parity_bytes"] == code["parity_bytes"]]
        curves = {name: [row for row in rows if row["decoder"] == decoder] for decoder, name in DECODERS.items()}
        title = f"LDPC, {code['data_bytes']} B of data, {_parity(code)} parity"
        yield _chart(title, f"{points}, drawn at the end of the interval.", {n: r for n, r in curves.items() if r})


_NONE: dict[str, list[dict[str, Any]]] = {"frame_error_rates": [], "codes": []}


def _parity(row: dict[str, Any]) -> str:
    return f"{format_number(100 * row['parity_bytes'] / row['data_bytes'])}%"


def _chart(title: str, caption: str, curves: dict[str, list[dict[str, Any]]]) -> Chart:
    """The measured rows by code and decoder."""
    failed: list[Row] = []
    unfailed: list[Row] = []
    spans: list[Row] = []
    lines: list[Row] = []
    for name, measured in curves.items():
        rows = sorted(measured, key=lambda row: float(row["rber"]))
        for row in rows:
            at = {"series": name, "x": row["rber"]}
            said = _frames(row) if row["frame_errors"] else _FAILED.format_map(row)
            point = {**at, "tip": f"{name}: {said} at {row['rber']:.3g}"}
            if row["frame_errors"]:
                failed.append({**point, "y": row["frame_error_rate"]})
                spans.append({**at, "y": max(row["low"], 1e-9), "y2": row["high"]})
            else:
                unfailed.append({**point, "y": row["high"]})
        if "expected" in rows[0]:
            lines += [{"series": name, "x": x, "y": y, "tip": ""} for x, y in _binomial_tail(rows)]
        else:
            lines += [{**row, "tip": ""} for row in failed if row["series"] == name]
    return Chart(
        title,
        caption,
        [
            Layer("line", lines, {"strokeWidth": 1.3}),
            Layer("rule", spans, {"strokeWidth": 1}),
            Layer("point", failed),
            Layer("point", unfailed, {"filled": False, "shape": "triangle-down"}),
        ],
        x=Axis("raw bit error rate", "rate", log=True),
        y=Axis("frame error rate", "rate", log=True, most=1.4),
        colours=colours_of(curves, 1),
    )


def _binomial_tail(rows: Sequence[dict[str, Any]]) -> Iterator[tuple[float, float]]:
    """The expected frame error rate of a BCH code from its lowest to its highest point."""
    least, most = rows[0]["rber"], rows[-1]["rber"]
    rbers = [least * (most / least) ** (step / 40) for step in range(41)]
    tail = ask("codes.binomial-tail", bits=rows[0]["codeword_bits"], t=rows[0]["t"], rbers=rbers)
    yield from zip(rbers, tail, strict=True)
