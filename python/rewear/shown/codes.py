"""The study of the codes: tables, and charts of frame error rates against raw bit error rates."""

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rewear._codes import ln_binomial_tail
from rewear.files import replacing
from rewear.page.blocks import Charts, Details, Heading, Page, Part, Sentences, Table
from rewear.page.chart import Axis, Chart, Layer, Row, colours_of, picture
from rewear.units import format_count, format_number

DECODERS = {
    "bit-flipping": "hard, bit flipping",
    "min-sum": "hard, min-sum",
    "soft-3": "soft, 3 references",
    "soft-7": "soft, 7 references",
}
_READINGS = {
    "clean-spare": "extra cells are clean spare cells (figure 4)",
    "all-programmed": "all cells are half programmed",
}


Rows = Sequence[Sequence[str]]


def _table(title: str, columns: Sequence[str], rows: Rows, numbers: bool = True) -> Table:
    """A table with its title above it, which may be wider."""
    return Table(columns, rows, title, numbers, long_title=True)


def section_tables(name: str, tables: dict[str, list[Any]]) -> list[Part]:
    """The tables of a section, each followed by an empty line."""
    writers: dict[str, Callable[[dict[str, list[Any]]], list[Part]]] = {
        "rivest-shamir": _rivest_shamir,
        "polar-wom": _polar_wom,
        "wom-v": _wom_v,
        "flip-n-write": _flip_n_write,
        "mlc-cell": _mlc_cell,
        "bch": _bch,
        "ldpc": _ldpc,
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
    printed = [
        _table(
            f"Rivest-Shamir code, {each['table']}",
            ("data", "1st write", "2nd write"),
            [(row["data"], row["first"], row["second"]) for row in each["rows"]],
        )
        for each in tables["tables"]
    ]
    rows = [(str(row["messages"]), str(row["cells"]), str(row["max_generations"])) for row in tables["search"]]
    columns = ("messages", "binary cells", "most generations")
    return [*printed, _table("Search over all binary WOM codes", columns, rows)]


def _polar_wom(tables: dict[str, list[Any]]) -> list[Part]:
    columns = (
        "storage", "message bits", "spare B/page", "paper", "one attempt", "+ new dither", "+ rotation", "+ repair",
    )  # fmt: skip
    parts: list[Part] = []
    for reading, meaning in _READINGS.items():
        rows = [
            (
                f"{row['storage_percent']:g}%",
                format_count(row["message_bits"]),
                f"{row['spare_bytes']:.0f}",
                "-" if row["paper"] is None else f"{100 * row['paper']:g}%",
                *(format_rate(row[f]) for f in ("one_attempt", "with_dither", "with_rotation", "with_repair")),
            )
            for row in tables["table_2"]
            if row["reading"] == reading
        ]
        title = f"Success of a second write on two 4 KB pages (second-write, Table 2); {meaning}"
        parts.append(_table(title, columns, rows))
    again = (
        "storage", "first attempt", "dither after failure", "rotation after failure", "in all, dither",
        "in all, rotation", "if independent",
    )  # fmt: skip
    fields = ("first", "dither_after_failure", "rotation_after_failure", "with_dither", "with_rotation")
    retries = [
        (
            f"{row['storage_percent']:g}%",
            *(format_rate(row[field]) for field in fields),
            f"{_percent(row['independent'])}%",
        )
        for row in tables["retries"]
    ]
    return [*parts, _table("A retry on the same pages (second-write, section 5.6)", again, retries)]


def _wom_v(tables: dict[str, list[Any]]) -> list[Part]:
    printed = [
        f"{each['table'].rstrip()}\nGenerations in the paper: {each['paper_generations']}" for each in tables["tables"]
    ]
    writes = []
    for row in tables["writes"]:
        checks = [
            text
            for check in ("pre_check", "post_check", "without_ecc")
            for text in (format_number(row[check]["exact"], 4), _mean(row[check]["measured"], 2))
        ]
        crossing = row["invalid_share_at_crossing"]
        share = f"{100 * crossing['mean']:.2f}% ± {100 * crossing['half_width']:.2f}"
        writes.append((row["code"], str(row["no_read"]), *checks, share, format_number(row["released_code"], 4)))
    flips = [
        (row["code"], *(format_number(mean["post_check"], 3) for mean in row["mean_writes"]))
        for row in tables["flip_rates"]
    ]
    theory = [
        (
            row["code"],
            row["mode"],
            format_number(row["writes"], 3),
            *(_percent_or_dash(factor["relative"]) for factor in row["factors"]),
        )
        for row in tables["erase_factors"]
    ]
    rates = [row["flip_rate"] for row in tables["flip_rates"][0]["mean_writes"]]
    shares = [factor["fullness"] for factor in tables["erase_factors"][0]["factors"]]
    return [
        *printed,
        _table(
            "Writes of random data per page of about 8192 cells, ECC threshold 3%: exact and measured",
            (
                "code", "no-read", "pre-check", "measured", "post-check", "measured", "no ECC", "measured",
                "invalid at crossing", "released code",
            ),
            writes,
        ),
        _table(
            "Writes per page by bits flipped a write, post-check",
            ("code", *(f"{100 * rate:g}%" for rate in rates)),
            flips,
        ),
        _table(
            "Erases against the plain drive in theory, by how full that is; uniformly random writes, greedy cleaning",
            ("code", "check", "writes", *(f"{100 * share:g}% full" for share in shares)),
            theory,
        ),
    ]  # fmt: skip


def _percent_or_dash(ratio: float | None) -> str:
    """A ratio in percent; a dash where the data does not fit."""
    return "-" if ratio is None else f"{100 * ratio:.0f}%"


def _mean(mean: dict[str, Any], decimals: int) -> str:
    return f"{mean['mean']:.{decimals}f} ± {mean['half_width']:.{decimals}f}"


def _flip_n_write(tables: dict[str, list[Any]]) -> list[Part]:
    rows = [
        (
            str(row["word_bits"]),
            f"{100 * row['max_share']:g}%",
            f"{100 * row['mean_share']:.2f}% ± {100 * row['half_width']:.2f}",
        )
        for row in tables["changes"]
    ]
    title = "Flip-N-Write: cells changed per data bit and write"
    return [_table(title, ("word bits", "at most", "random data"), rows)]


def _mlc_cell(tables: dict[str, list[Any]]) -> list[Part]:
    rows = [
        (
            row["state"],
            row["page"],
            str(row["bit"]),
            row["next"],
            "-" if row["number"] is None else str(row["number"]),
            row["effect"],
        )
        for row in tables["transitions"]
    ]
    columns = ("state", "page", "bit", "next", "number", "effect")
    safe = [" ".join(row["order"]) for row in tables["orders"] if row["safe"]]
    counted = f"{len(safe)} of {len(tables['orders'])} orders of up to four programs are safe for all data:"
    return [_table("MLC cell (seal, figure 3)", columns, rows, numbers=False), "\n  ".join([counted, *safe])]


def _bch(tables: dict[str, list[Any]]) -> list[Part]:
    limits = [
        (
            f"{row['data_bytes']} B",
            f"{row['parity_budget_percent']:g}%",
            str(row["t"]),
            str(row["parity_bytes"]),
            f"{row['parity_percent']:.2f}%",
            f"{row['rber']:.3e}",
        )
        for row in tables["limits"]
    ]
    rates = [
        (
            f"{row['data_bytes']} B, t = {row['t']}",
            f"{row['rber']:.3g}",
            _frames(row),
            _failed(row),
            f"{_percent(row['expected'])}%",
            str(row["miscorrected"]),
        )
        for row in tables["frame_error_rates"]
    ]
    title = "BCH: raw bit error rate at UBER 1e-15"
    return [
        _table(title, ("data", "parity budget", "t", "parity B", "parity", "RBER"), limits),
        _table(
            "BCH: measured",
            ("code", "RBER", "frame error rate", "failed", "expected", "wrongly corrected"),
            rates,
        ),
    ]


def _ldpc(tables: dict[str, list[Any]]) -> list[Part]:
    return [
        _table(
            f"LDPC, {code['data_bytes']} B data + {code['parity_bytes']} B parity (rate {code['rate']:.3f}): measured",
            ("decoder", "RBER", "frame error rate", "failed", "rounds"),
            [
                (
                    DECODERS[row["decoder"]],
                    f"{row['rber']:.3g}",
                    _frames(row),
                    _failed(row),
                    f"{row['mean_iterations']:.1f}",
                )
                for row in tables["frame_error_rates"]
                if row["parity_bytes"] == code["parity_bytes"]
            ],
        )
        for code in tables["codes"]
    ]


def _failed(row: dict[str, Any]) -> str:
    return f"{row['frame_errors']} of {row['trials']['frames']}"


def _frames(row: dict[str, Any]) -> str:
    rate = {"rate": row["frame_error_rate"], "low": row["low"], "high": row["high"], "trials": 1}
    return format_rate(rate)


# Charts.


class _Panel(NamedTuple):
    """The measured rows of a chart by code and decoder."""

    title: str
    caption: str
    curves: dict[str, list[dict[str, Any]]]


def codes_page(results: dict[str, Any]) -> Page:
    """A self-contained page with charts and their figures. The same study gives the same bytes."""
    about = (
        f"Random data encoded, damaged and decoded on real bits, {results['samples']:,} codewords a point. Bit errors "
        "are independent; the raw bit error rate is that of a hard read, also where the decoder reads soft. Intervals "
        "are Wilson's at 95%."
    )
    sections = {name: results["sections"][name] for name in ("bch", "ldpc") if name in results["sections"]}
    tables = [part for name, each in sections.items() for part in section_tables(name, each)]
    return Page(
        "codes",
        "Frame error rates of the codes",
        [
            Charts([_chart(panel) for panel in _panels(sections)]),
            Heading("Figures"),
            *(Details(part.title, [Table(part.columns, part.rows)]) for part in tables if isinstance(part, Table)),
        ],
        opening=[Sentences([about], "summary")],
        ending=f", seed {results['seed']}",
    )


def save_plot(results: dict[str, Any], path: Path) -> None:
    """Writes every chart of a study into one PNG or SVG with light background."""
    charts = [_chart(panel) for panel in _panels(results["sections"])]
    with replacing(path) as file:
        file.write(picture(charts, path.suffix.lower().removeprefix("."), min(2, len(charts))))


def _panels(sections: dict[str, Any]) -> Iterator[_Panel]:
    points = "Points: measured, with 95% intervals; hollow: no frame failed"
    for data_bytes in sorted(
        {row["data_bytes"] for row in sections.get("bch", _NONE)["frame_error_rates"]}, reverse=True
    ):
        by_t: dict[str, list[dict[str, Any]]] = {}
        for row in sections["bch"]["frame_error_rates"]:
            if row["data_bytes"] == data_bytes:
                by_t.setdefault(f"t = {row['t']} ({_parity(row)})", []).append(row)
        caption = f"{points}. Lines: the binomial tail beyond t errors."
        yield _Panel(f"BCH, {data_bytes} B of data, by t (and parity)", caption, by_t)
    for code in sections.get("ldpc", _NONE)["codes"]:
        rows = [row for row in sections["ldpc"]["frame_error_rates"] if row["parity_bytes"] == code["parity_bytes"]]
        curves = {name: [row for row in rows if row["decoder"] == decoder] for decoder, name in DECODERS.items()}
        title = f"LDPC, {code['data_bytes']} B of data, {_parity(code)} parity"
        yield _Panel(title, f"{points}, drawn at the end of the interval.", {n: r for n, r in curves.items() if r})


_NONE: dict[str, list[dict[str, Any]]] = {"frame_error_rates": [], "codes": []}


def _parity(row: dict[str, Any]) -> str:
    return f"{format_number(100 * row['parity_bytes'] / row['data_bytes'])}%"


def _chart(panel: _Panel) -> Chart:
    failed: list[Row] = []
    unfailed: list[Row] = []
    spans: list[Row] = []
    lines: list[Row] = []
    for name, measured in panel.curves.items():
        rows = sorted(measured, key=lambda row: float(row["rber"]))
        for row in rows:
            at = {"series": name, "x": row["rber"]}
            rate = row["frame_error_rate"]
            if row["frame_errors"]:
                failed.append({**at, "y": rate, "tip": f"{name}: {_frames(row)} at {row['rber']:.3g}"})
                spans.append({**at, "y": max(row["low"], 1e-9), "y2": row["high"]})
            else:
                unfailed.append({**at, "y": row["high"], "tip": f"{name}: {_failed(row)} at {row['rber']:.3g}"})
        if "expected" in rows[0]:
            lines += [{"series": name, "x": x, "y": y, "tip": ""} for x, y in _binomial_tail(rows)]
        else:
            lines += [{**row, "tip": ""} for row in failed if row["series"] == name]
    return Chart(
        panel.title,
        panel.caption,
        [
            Layer("line", lines, {"strokeWidth": 1.3}),
            Layer("rule", spans, {"strokeWidth": 1}),
            Layer("point", failed),
            Layer("point", unfailed, {"filled": False, "shape": "triangle-down"}),
        ],
        x=Axis("raw bit error rate", "rate", log=True),
        y=Axis("frame error rate", "rate", log=True, most=1.4),
        colours=colours_of(panel.curves, 1),
    )


def _binomial_tail(rows: Sequence[dict[str, Any]]) -> Iterator[tuple[float, float]]:
    """The expected frame error rate of a BCH code from its lowest to its highest point."""
    least, most = rows[0]["rber"], rows[-1]["rber"]
    for step in range(41):
        rber = least * (most / least) ** (step / 40)
        yield rber, math.exp(ln_binomial_tail(rows[0]["codeword_bits"], rber, rows[0]["t"]))
