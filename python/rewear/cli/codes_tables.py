"""The study of the codes as tables on a terminal."""

from collections.abc import Callable
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from rewear.cli.output import plain_table
from rewear.units import format_count, format_number

__all__ = ["DECODERS", "format_rate", "section_tables"]

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


def _titled(part: RenderableType) -> RenderableType:
    """A table with its title above it, which may be wider than the table."""
    if not isinstance(part, Table) or part.title is None:
        return part
    title, part.title = str(part.title), None
    return Group(Text(title, style="bold"), part)


def section_tables(name: str, tables: dict[str, list[Any]]) -> list[RenderableType]:
    """The tables of a section, each followed by an empty line."""
    writers: dict[str, Callable[[dict[str, list[Any]]], list[RenderableType]]] = {
        "rivest-shamir": _rivest_shamir,
        "polar-wom": _polar_wom,
        "wom-v": _wom_v,
        "flip-n-write": _flip_n_write,
        "mlc-cell": _mlc_cell,
        "bch": _bch,
        "ldpc": _ldpc,
    }
    return [part for table in writers[name](tables) for part in (_titled(table), "")]


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


def _rivest_shamir(tables: dict[str, list[Any]]) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for printed in tables["tables"]:
        table = plain_table("data", "1st write", "2nd write", title=f"Rivest-Shamir code, {printed['table']}")
        for row in printed["rows"]:
            table.add_row(row["data"], row["first"], row["second"])
        parts.append(table)
    table = plain_table("messages", "binary cells", "most generations", title="Search over all binary WOM codes")
    for row in tables["search"]:
        table.add_row(str(row["messages"]), str(row["cells"]), str(row["max_generations"]))
    return [*parts, table]


def _polar_wom(tables: dict[str, list[Any]]) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for reading, meaning in _READINGS.items():
        table = plain_table(
            "storage", "message bits", "spare B/page", "paper", "one attempt", "+ new dither", "+ rotation", "+ repair",
            title=f"Success of a second write on two 4 KB pages (second-write, Table 2); {meaning}",
        )  # fmt: skip
        for row in tables["table_2"]:
            if row["reading"] == reading:
                table.add_row(
                    f"{row['storage_percent']:g}%",
                    format_count(row["message_bits"]),
                    f"{row['spare_bytes']:.0f}",
                    "-" if row["paper"] is None else f"{100 * row['paper']:g}%",
                    *(format_rate(row[f]) for f in ("one_attempt", "with_dither", "with_rotation", "with_repair")),
                )
        parts.append(table)
    table = plain_table(
        "storage", "first attempt", "dither after failure", "rotation after failure", "in all, dither",
        "in all, rotation", "if independent", title="A retry on the same pages (second-write, section 5.6)",
    )  # fmt: skip
    fields = ("first", "dither_after_failure", "rotation_after_failure", "with_dither", "with_rotation")
    for row in tables["retries"]:
        cells = [format_rate(row[field]) for field in fields]
        table.add_row(f"{row['storage_percent']:g}%", *cells, f"{_percent(row['independent'])}%")
    return [*parts, table]


def _wom_v(tables: dict[str, list[Any]]) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for printed in tables["tables"]:
        parts.append(f"{printed['table'].rstrip()}\nGenerations in the paper: {printed['paper_generations']}")
    writes = plain_table(
        "code", "no-read", "pre-check", "measured", "post-check", "measured", "no ECC", "measured",
        "invalid at crossing", "released code",
        title="Writes of random data per page of about 8192 cells, ECC threshold 3%: exact and measured",
    )  # fmt: skip
    for row in tables["writes"]:
        checks = [
            text
            for check in ("pre_check", "post_check", "without_ecc")
            for text in (format_number(row[check]["exact"], 4), _mean(row[check]["measured"], 2))
        ]
        crossing = row["invalid_share_at_crossing"]
        share = f"{100 * crossing['mean']:.2f}% ± {100 * crossing['half_width']:.2f}"
        writes.add_row(row["code"], str(row["no_read"]), *checks, share, format_number(row["released_code"], 4))
    parts.append(writes)
    rates = [row["flip_rate"] for row in tables["flip_rates"][0]["mean_writes"]]
    flips = plain_table(
        "code", *(f"{100 * rate:g}%" for rate in rates), title="Writes per page by bits flipped a write, post-check"
    )
    for row in tables["flip_rates"]:
        flips.add_row(row["code"], *(format_number(mean["post_check"], 3) for mean in row["mean_writes"]))
    shares = [factor["fullness"] for factor in tables["erase_factors"][0]["factors"]]
    theory = plain_table(
        "code", "check", "writes", *(f"{100 * share:g}% full" for share in shares),
        title="Erases against the plain drive in theory, by how full that is; uniformly random writes, greedy cleaning",
    )  # fmt: skip
    for row in tables["erase_factors"]:
        cells = [_percent_or_dash(factor["relative"]) for factor in row["factors"]]
        theory.add_row(row["code"], row["mode"], format_number(row["writes"], 3), *cells)
    return [*parts, flips, theory]


def _percent_or_dash(ratio: float | None) -> str:
    """A ratio in percent; a dash where the data does not fit."""
    return "-" if ratio is None else f"{100 * ratio:.0f}%"


def _mean(mean: dict[str, Any], decimals: int) -> str:
    return f"{mean['mean']:.{decimals}f} ± {mean['half_width']:.{decimals}f}"


def _flip_n_write(tables: dict[str, list[Any]]) -> list[RenderableType]:
    table = plain_table(
        "word bits", "at most", "random data", title="Flip-N-Write: cells changed per data bit and write"
    )
    for row in tables["changes"]:
        mean = f"{100 * row['mean_share']:.2f}% ± {100 * row['half_width']:.2f}"
        table.add_row(str(row["word_bits"]), f"{100 * row['max_share']:g}%", mean)
    return [table]


def _mlc_cell(tables: dict[str, list[Any]]) -> list[RenderableType]:
    table = plain_table(
        "state", "page", "bit", "next", "number", "effect", title="MLC cell (seal, figure 3)", numbers=False
    )
    for row in tables["transitions"]:
        number = "-" if row["number"] is None else str(row["number"])
        table.add_row(row["state"], row["page"], str(row["bit"]), row["next"], number, row["effect"])
    safe = [" ".join(row["order"]) for row in tables["orders"] if row["safe"]]
    counted = f"{len(safe)} of {len(tables['orders'])} orders of up to four programs are safe for all data:"
    return [table, "\n  ".join([counted, *safe])]


def _bch(tables: dict[str, list[Any]]) -> list[RenderableType]:
    limits = plain_table(
        "data", "parity budget", "t", "parity B", "parity", "RBER", title="BCH: raw bit error rate at UBER 1e-15"
    )
    for row in tables["limits"]:
        limits.add_row(
            f"{row['data_bytes']} B",
            f"{row['parity_budget_percent']:g}%",
            str(row["t"]),
            str(row["parity_bytes"]),
            f"{row['parity_percent']:.2f}%",
            f"{row['rber']:.3e}",
        )
    rates = plain_table(
        "code", "RBER", "frame error rate", "failed", "expected", "wrongly corrected", title="BCH: measured"
    )
    for row in tables["frame_error_rates"]:
        failed = f"{row['frame_errors']} of {row['trials']['frames']}"
        name = f"{row['data_bytes']} B, t = {row['t']}"
        expected = f"{_percent(row['expected'])}%"
        rates.add_row(name, f"{row['rber']:.3g}", _frames(row), failed, expected, str(row["miscorrected"]))
    return [limits, rates]


def _ldpc(tables: dict[str, list[Any]]) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for code in tables["codes"]:
        title = (
            f"LDPC, {code['data_bytes']} B data + {code['parity_bytes']} B parity (rate {code['rate']:.3f}): measured"
        )
        table = plain_table("decoder", "RBER", "frame error rate", "failed", "rounds", title=title)
        for row in tables["frame_error_rates"]:
            if row["parity_bytes"] == code["parity_bytes"]:
                failed = f"{row['frame_errors']} of {row['trials']['frames']}"
                rounds = f"{row['mean_iterations']:.1f}"
                table.add_row(DECODERS[row["decoder"]], f"{row['rber']:.3g}", _frames(row), failed, rounds)
        parts.append(table)
    return parts


def _frames(row: dict[str, Any]) -> str:
    rate = {"rate": row["frame_error_rate"], "low": row["low"], "high": row["high"], "trials": 1}
    return format_rate(rate)
