"""Results of the cell model, section by section, as plain data."""

from collections.abc import Sequence
from typing import Any

from rewear._core import version
from rewear.core.errors import ConfigurationError
from rewear.physics.model import CellModel, Row

STEP_RATIOS = (0.5, 1.0, 2.0)
"""Steps over the normal one: the three of AGCR; differentiated ECC uses the last two."""
CYCLES = (0, 1000, 2000, 3000, 5000, 10000)
RETENTION_HOURS = (24.0, 720.0, 2160.0, 8760.0)
"""A day, a month, three months (enterprise drives, JEDEC JESD218), a year (client drives)."""

PAPER_MODES = {
    "normal": (1_300_000, 45_000),
    "high": (2_600_000, 75_000),
    "medium": (1_300_000, 110_000),
    "low": (650_000, 145_000),
}
"""Table I of the differentiated-ECC paper: program and read in nanoseconds."""
PROGRAMS = 8
"""Programs of a low page in an extended P/E cycle (Margaglia and Brinkmann, section V-A)."""
PAPER_SHARE = 0.3
"""Share of a block's life in which Reusable SSD takes second writes."""


def study(
    model: CellModel | None = None,
    *,
    steps_v: Sequence[float] | None = None,
    cycles: Sequence[float] | None = None,
    retention_hours: Sequence[float] | None = None,
) -> dict[str, Any]:
    """Rates, limits, lives, reads and second writes for every combination of steps, cycles and retention.

    Args:
        model: The cells; those of the published parameters unless given.
        steps_v: Program steps in volts; half, once and twice the normal step unless given.
        cycles: Program/erase cycles.
        retention_hours: Hours since programming.

    Raises:
        ConfigurationError: A step, age or parameter that cannot be, or an empty list.
    """
    model = CellModel() if model is None else model
    steps = [ratio * model.step_v for ratio in STEP_RATIOS] if steps_v is None else list(steps_v)
    ages = list(CYCLES if cycles is None else cycles)
    hours = list(RETENTION_HOURS if retention_hours is None else retention_hours)
    for name, values in (("steps_v", steps), ("cycles", ages), ("retention_hours", hours)):
        if not values:
            raise ConfigurationError(f"{name} is empty. Give at least one value.")
    limits = model.limits()
    codes = [limits["bch"], *limits["ldpc"]]
    sections = {
        "limits": codes,
        "rber": [_rates(model, step, hour, ages) for hour in hours for step in steps],
        "lives": [_lives(model, step, hour, codes) for hour in hours for step in steps],
        "doubled_step": [_doubled(model, hour, codes) for hour in hours],
        "modes": [
            {"cycles": age, "retention_hours": hour, "modes": model.derived_modes(age, hour)}
            for hour in hours
            for age in ages
        ],
        "second_writes": [
            {"step_v": step, "retention_hours": hour, **model.second_writes(step, hour)}
            for hour in hours
            for step in steps
        ],
        "extended_cycles": _extended(model, ages),
    }
    return {"schema": 1, "rewear": version(), "config": model.config, "sections": sections}


def _rates(model: CellModel, step: float, hours: float, ages: Sequence[float]) -> Row:
    rates = model.rber(step, ages, hours)
    rows = [{"cycles": age, "rber": float(rate)} for age, rate in zip(ages, rates, strict=True)]
    return {"step_v": step, "retention_hours": hours, "by_cycles": rows}


def _lives(model: CellModel, step: float, hours: float, codes: Sequence[Row]) -> Row:
    lives = model.cycles_until([code["rber"] for code in codes], step, hours)
    by_code = [
        {"ldpc": code["ldpc"], "references": code["references"], "cycles": float(life)}
        for code, life in zip(codes, lives, strict=True)
    ]
    return {"step_v": step, "retention_hours": hours, "by_code": by_code}


def _doubled(model: CellModel, hours: float, codes: Sequence[Row]) -> Row:
    """Until when the doubled step can be read by each code, beside how long the normal step lasts under BCH."""
    normal = float(model.cycles_until(codes[0]["rber"], model.step_v, hours))
    doubled = _lives(model, 2.0 * model.step_v, hours, codes)["by_code"]
    return {"retention_hours": hours, "normal_bch_cycles": normal, "doubled": doubled}


def _extended(model: CellModel, ages: Sequence[float]) -> list[Row]:
    """Low pages right after programming, on cells of two bits; on others there are none."""
    if len(model.config["voltage"]["verify_v"]) != 3:
        return []
    return model.extended_cycles(ages, programs=PROGRAMS)
