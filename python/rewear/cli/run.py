"""`rewear run`: one drive, one workload, one report."""

from pathlib import Path
from typing import Annotated, Any

import typer

from rewear.cli import options as opt
from rewear.cli.arguments import one_of, parse_drive, parse_policy, parse_source
from rewear.cli.output import answer, command_line, errors
from rewear.cli.progress import progress_bars
from rewear.comparison.comparison import Comparison, Run, compare
from rewear.comparison.verdict import too_short
from rewear.core.errors import ConfigurationError
from rewear.core.report import Report
from rewear.figures.facts import omitted
from rewear.figures.metrics import metrics_for, years_text
from rewear.figures.units import format_bytes, format_count, format_number, format_share, format_time
from rewear.page.blocks import Part, Table

INCOMPLETE = 3
"""Exit code of a replay that a worn-out or full drive ended early."""


@opt.command
def run_command(
    *,
    drive: opt.OneDrive = None,
    file: Annotated[
        str | None, typer.Argument(metavar="[TRACE]", help="The recorded trace; also --trace.", show_default=False)
    ] = None,
    drive_option: opt.DriveOption = None,
    trace: opt.TraceFile = None,
    workload: opt.WorkloadSpec = None,
    settings: opt.Settings = None,
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.py[:key=value,...]",
            help="Policy in Python: chooses victims or streams.",
        ),
    ] = None,
    replay: opt.Replay,
    seeds: opt.Seeds = None,
    log: Annotated[
        Path | None,
        opt.output(
            "--request-log",
            "--log",
            metavar="OUT",
            help="Write a Parquet file with every request and its response time.",
        ),
    ] = None,
    html: opt.Html = None,
    json: opt.JsonOutput = False,
) -> None:
    """Replay a trace or a workload on one drive, and report wear and response times.

    rewear run qlc recordings/day.rwt
    """
    if drive_option is not None and drive is not None and file is None:
        drive, file = None, drive  # The option names the drive, so the argument is the trace.
    drive = one_of("drive", "rewear run qlc FILE", drive, drive_option)
    if file is not None:
        trace = one_of("trace", "rewear run qlc FILE", file, trace)
    options = replay.keywords()
    label, device = parse_drive(drive, settings or ())
    if policy is not None:
        asked = parse_policy(policy)
        label, device = f"{label} with {asked.name}", device.with_policy(asked)
    source = parse_source(trace, workload)
    seeds = seeds or 1
    if seeds > 1 and log is not None:
        raise ConfigurationError("--request-log writes the requests of one replay. Leave out --seeds or --request-log.")
    with progress_bars() as progress:
        if seeds == 1:
            report = device.replay(source, progress=lambda state: progress(label, state), log=log, **options)
            comparison = Comparison((Run(label, device, report),), source)
        else:
            comparison = compare(source, [(label, device)], seeds=seeds, progress=progress, **options)
    report = comparison.reference.report
    if html is not None and html.suffix != ".json":
        comparison.save_html(html, command=command_line())
    for note in report.notes if json else ():
        warn(note)
    answer(
        json,
        lambda: {**report.to_dict(), **_repeated(comparison)},
        lambda: [*report_tables(label, report), *_intervals(comparison)],
        html,
    )
    if not report.complete:
        raise typer.Exit(INCOMPLETE)


def warn(note: str) -> None:
    """Prints a note on stderr, where it does not disturb JSON."""
    errors().print(f"rewear: {note}", soft_wrap=True)


def _repeated(comparison: Comparison) -> dict[str, Any]:
    """Seeds and intervals beside a report that was repeated."""
    if comparison.repeats == 1:
        return {}
    described = comparison.to_dict()
    intervals = {key: found["figure"] for key, found in described["drives"][0]["intervals"].items()}
    return {"seeds": described["seeds"], "intervals": intervals}


def _intervals(comparison: Comparison) -> list[Part]:
    """Means over the seeds and their intervals; nothing where nothing was repeated."""
    if comparison.repeats == 1:
        return []
    run = comparison.reference
    rows = [
        (metric.title, *(metric.text(value) for value in (found.mean, found.low, found.high)))
        for metric in metrics_for(run.reports)
        if (found := comparison.interval(run, metric.value)) is not None
    ]
    table = Table((f"Over {comparison.repeats} seeds", "mean", "from", "to"), rows)
    return ["", table, "95% intervals of the mean by Student's t distribution."]


def report_tables(label: str, report: Report) -> list[Part]:
    """A report for people."""
    size = format_bytes(report.derived["exported_bytes"])
    parts: list[Part] = [f"{report['source']['name']} on {label}, a model of {size}\n"]
    parts += [_served(report), ""]
    groups: dict[str, list[tuple[str, str]]] = {}
    for metric in metrics_for([report]):
        groups.setdefault(metric.group, []).append((metric.title, metric.format(report)))
    groups.setdefault("Writes", []).extend(_pages_by_cause(report))
    for group, rows in groups.items():
        parts += [Table((group, ""), rows), ""]
    if report.effort is not None:
        parts += [*_effort(report.effort), ""]
    if report["utilisation"] is not None:
        parts += [_business(report), ""]
    parts += [f"Trace: {sentence}" for sentence in omitted(report)]
    parts += _life(report)
    if (reason := too_short(label, report)) is not None:
        parts.append(f"Too short to tell: {reason}")
    parts += [f"Note: {note}" for note in report.notes]
    parts.append(f"Seed {report.seed}, rewear {report['rewear']}. --json prints everything, configuration included.")
    return parts


def _life(report: Report) -> list[Part]:
    """How long the drive lives, and why no longer."""
    life = report.life
    if life is None:
        return []
    kept = "leave less flash than the capacity needs"
    ends = {
        "worn-blocks": f"when worn-out blocks {kept}",
        "uncorrectable-pages": f"when blocks with uncorrectable pages {kept}",
        "worn-cache": "when the blocks of its SLC cache are worn out",
    }[life["ends"]]
    subject, whole = _whole(report)
    how = f"{subject} died here" if life["simulated"] else f"{subject} would die"
    rate = {"trace": "at the rate of the trace", "closed": "at the speed of this closed loop"}[life["rate"]]
    years = "" if life["years"] is None else f" That is {years_text(life['years'])} {rate}."
    return [
        f"Life: {how} after {format_bytes(life['tbw_bytes'])} written, {life['drive_writes']:,.0f} drive writes "
        f"({life['drive_writes_per_day']:.2f} a day over five years), {ends}."
        f"{years} A block endures {life['cycles']:,} cycles ({life['source']}); the mean block will have used "
        f"{format_share(life['evenness'])} of them.{whole}"
    ]


def _whole(report: Report) -> tuple[str, str]:
    """What dies, and the life of the real drive where the replayed one is a smaller model of it."""
    product = report["drive"]["configuration"].get("product")
    times = product["flash_bytes"] / report.derived["physical_bytes"] if product and report.life else 1.0
    if times < 1.01:
        return "It", ""
    whole = format_bytes(report.life["tbw_bytes"] * times) if report.life else ""
    return (
        f"This model, 1/{format_number(times)} of a {product['name']} drive,",
        f" The whole drive takes {whole} at the same wear for a byte, which is {format_number(times)} times the time.",
    )


def _served(report: Report) -> Table:
    amounts = {"read": format_bytes(report["host_bytes_read"]), "write": format_bytes(report["host_bytes_written"])}
    rows = [(kind, format_count(count), amounts.get(kind, "")) for kind, count in report["requests"].items()]
    return Table(("Host", "requests", "data"), rows)


def _pages_by_cause(report: Report) -> list[tuple[str, str]]:
    counts = {cause: format_count(count) for cause, count in report.pages_programmed.items()}
    return [
        ("pages programmed", counts.pop("total")),
        *((f"  of these: {each}", count) for each, count in counts.items()),
    ]


def _effort(effort: dict[str, Any]) -> list[Part]:
    rows = [
        (
            mode["mode"],
            *(format_count(mode[key]) for key in ("host_writes", "host_reads", "moved", "rewrites")),
            format_share(mode["share"]),
        )
        for mode in effort["modes"]
    ]
    columns = ("Effort", "host writes", "host reads", "moved", "rewrites", "share of operations")
    memory = f"{format_bytes(effort['history_bytes'])} for accesses, {format_bytes(effort['tag_bytes'])} for mode tags"
    parts: list[Part] = [Table(columns, rows), f"Memory in the drive: {memory}"]
    if effort["false_read_hits"] is not None:
        hits = (format_share(effort[key]) for key in ("false_read_hits", "false_write_hits"))
        parts.append("False hits of the filters (estimate): {} of reads, {} of writes".format(*hits))
    return parts


def _business(report: Report) -> Table:
    busy = [(f"{each} busy", format_share(report["utilisation"][each])) for each in ("planes", "channels")]
    return Table(("Time", ""), [("simulated time", format_time(report.simulated_ns)), *busy])
