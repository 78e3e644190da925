"""`rewear twin`: models fitted to what real drives write."""

from pathlib import Path
from typing import Annotated, Any

import typer

from rewear.cli import options as opt
from rewear.cli.arguments import split_options
from rewear.cli.files import check_writable
from rewear.cli.output import print_json, print_text
from rewear.cli.progress import progress_bars
from rewear.drive import Drive
from rewear.errors import ConfigurationError
from rewear.files import write_text
from rewear.page.blocks import Table
from rewear.twin import Fit, Parameter, Point, Prediction, fit, predict, preset, read_counters, read_points, simulated
from rewear.twin.counters import LAST, is_log
from rewear.units import format_bytes, format_number, format_share, parse_bytes

__all__ = ["app"]

app = typer.Typer(help="Fits models to the write amplification of real drives.", no_args_is_help=True)

_LOG_OPTIONS = ("fill", "last")

_Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="CSV files: points (write_amplification, fill, ...), or logs of counters as FILE:fill=372GiB.",
        show_default=False,
    ),
]
_Only = Annotated[str | None, typer.Option("--only", metavar="NAME", help="Take the points of this drive.")]
_Capacity = Annotated[
    str | None,
    typer.Option("--capacity", metavar="SIZE", help="What the drive exports, as 745GiB, if no column says it."),
]


@app.command("fit")
def fit_command(
    files: _Files,
    only: _Only = None,
    capacity: _Capacity = None,
    policy: Annotated[
        str | None, typer.Option("--policy", metavar="NAME", help="Victim policy, greedy or cyclic: the better.")
    ] = None,
    name: Annotated[str, typer.Option("--name", help="Name of the twin.")] = "twin",
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the twin's TOML file.")] = None,
    json: opt.JsonOutput = False,
) -> None:
    """Finds a drive's flash and its share of metadata, says how sure they are, and predicts what it was not fitted to.

    rewear twin fit points.csv --out twin.toml
    rewear twin fit half.csv:fill=372GiB full.csv --capacity 745GiB --out twin.toml
    """
    if out is not None:
        check_writable(out)
    points = _points(files, only, capacity)
    fitted = fit(points, policy)
    if out is not None:
        write_text(out, preset(name, fitted, points))
    predictions = predict(fitted, points)
    if json:
        print_json({"schema": 1, **_as_dict(fitted), "points": [_point(each) for each in predictions]})
        return
    spare = f"{format_share(fitted.over_provisioning)} over {format_bytes(fitted.capacity_bytes)}"
    print_text(
        f"flash that holds data   {_interval(fitted.flash_bytes, _gib)}: {spare}",
        f"metadata for data       {_interval(fitted.metadata_share, format_share)}",
        f"cleaning                {fitted.policy} ({_rivals(fitted)})",
        f"error of the fit        {fitted.error:.4f} in write amplification, mean of {len(fitted.points)} points",
        *_left_out(fitted),
        "",
        _table(predictions),
    )
    if out is not None:
        print_text(f"\n{out}: replay on it with --drive {out}")


@app.command("predict")
def predict_command(
    drive: Annotated[str, typer.Argument(metavar="DRIVE", help="A twin: preset or TOML file.", show_default=False)],
    files: _Files,
    only: _Only = None,
    capacity: _Capacity = None,
    seed: opt.Seed = None,
    json: opt.JsonOutput = False,
) -> None:
    """Replays each point's workload on a twin, and shows the write amplification beside the measured one.

    rewear twin predict twin.toml points.csv
    """
    points = _points(files, only, capacity)
    twin = Drive(drive)
    with progress_bars() as progress:
        predictions = simulated(twin, points, progress, seed)
    if json:
        print_json({"schema": 1, "drive": twin.name, "points": [_point(each) for each in predictions]})
        return
    print_text(_table(predictions))


def _points(files: list[str], only: str | None, capacity: str | None) -> list[Point]:
    size = None if capacity is None else parse_bytes("--capacity", capacity)
    points: list[Point] = []
    for argument in files:
        name, options = split_options(argument)
        if unknown := [key for key in options if key not in _LOG_OPTIONS]:
            raise ConfigurationError(
                f"{name}: there is no option {unknown[0]!r}. There are: {', '.join(_LOG_OPTIONS)}."
            )
        if not is_log(name):
            points += read_points(name, only=only, capacity_bytes=size)
            continue
        if size is None:
            raise ConfigurationError(f"{name}: counters do not say what the drive exports. Give --capacity, as 745GiB.")
        fill = options.get("fill")
        points.append(
            read_counters(
                name,
                capacity_bytes=size,
                fill_bytes=None if fill is None else parse_bytes("fill", fill),
                last=_part(options.get("last")),
            )
        )
    return points


def _part(text: str | None) -> float:
    try:
        return LAST if text is None else float(text)
    except ValueError:
        raise ConfigurationError(f"last={text} is not a number. Give a part of the log, as 0.2.") from None


def _gib(value: float) -> str:
    """Bytes with the digits that the interval is about."""
    return f"{format_number(value / 2**30, 4)} GiB"


def _interval(parameter: Parameter, words: Any) -> str:
    if parameter.low is None or parameter.high is None:
        return f"{words(parameter.value)} (too few points for an interval)"
    return f"{words(parameter.value)} ({words(parameter.low)} to {words(parameter.high)})"


def _rivals(fitted: Fit) -> str:
    errors = ", ".join(f"{name} {error:.4f}" for name, error in fitted.rivals.items())
    return f"root mean square errors: {errors}"


def _left_out(fitted: Fit) -> list[str]:
    if fitted.leave_one_out_error is None:
        return ["left out one at a time  a single point: nothing to leave out, and no metadata to tell"]
    most = max(map(abs, fitted.leave_one_out))
    return [f"left out one at a time  {fitted.leave_one_out_error:.4f} mean, {most:.4f} at most"]


def _table(predictions: list[Prediction]) -> Table:
    rows = [
        (
            each.point.workload,
            format_bytes(each.point.fill_bytes),
            f"{each.point.write_amplification:.3f}",
            "-" if each.expected is None else f"{each.expected:.3f}",
            "-" if each.error is None else f"{each.error:+.3f}".replace("-", "−"),
            "fit" if each.point.fits else "predict",
        )
        for each in predictions
    ]
    return Table(("workload", "over", "measured", "expected", "off", "used to"), rows)


def _as_dict(fitted: Fit) -> dict[str, Any]:
    parameters = {"flash_bytes": fitted.flash_bytes, "metadata_share": fitted.metadata_share}
    return {
        "capacity_bytes": fitted.capacity_bytes,
        "policy": fitted.policy,
        **{key: {"value": each.value, "low": each.low, "high": each.high} for key, each in parameters.items()},
        "over_provisioning": fitted.over_provisioning,
        "fit_error": fitted.error,
        "leave_one_out_error": fitted.leave_one_out_error,
        "root_mean_square_error_by_policy": fitted.rivals,
    }


def _point(each: Prediction) -> dict[str, Any]:
    point = each.point
    return {
        "drive": point.drive,
        "workload": point.workload,
        "fill_bytes": point.fill_bytes,
        "capacity_bytes": point.capacity_bytes,
        "use": "fit" if point.fits else "predict",
        "measured": point.write_amplification,
        "expected": each.expected,
        "source": point.source,
    }
