"""The cell model: arrays in, arrays out."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rewear._physics import Model
from rewear.core.errors import ConfigurationError

Floats = NDArray[np.float64]
Row = dict[str, Any]
Pages = Literal["worst", "mean"]


class CellModel:
    """Cells of one configuration.

    Args:
        config: Tables of parameters as nested mappings, for instance `{"voltage": {"step_v": 0.2}}`; what is left out
            has its default. `config` of a model shows all.
        set: Single parameters by dotted key, for instance `{"interference.strength": 1.2}`; they win over `config`.

    Raises:
        ConfigurationError: An unknown parameter, or a value that cannot be.
    """

    def __init__(self, config: Mapping[str, Any] | None = None, *, set: Mapping[str, Any] | None = None) -> None:
        """Checks the configuration; see the class."""
        tables: dict[str, Any] = json.loads(_to_json(dict(config or {})))
        for key, value in (set or {}).items():
            _put(tables, key, value)
        try:
            self._model = Model(_to_json(tables))
        except ConfigurationError as error:
            raise ConfigurationError(f"Cell model: {error}") from None

    @property
    def config(self) -> dict[str, Any]:
        """Every parameter, defaults included."""
        config: dict[str, Any] = json.loads(self._model.config())
        return config

    @property
    def step_v(self) -> float:
        """The program step of the normal mode in volts."""
        return float(self.config["voltage"]["step_v"])

    def rber(
        self, step_v: ArrayLike, cycles: ArrayLike, retention_hours: ArrayLike, pages: Pages | int = "worst"
    ) -> Floats:
        """Raw bit error rates of blocks after `cycles` and pages programmed with `step_v` volts `retention_hours` ago.

        Args:
            step_v: Program steps in volts.
            cycles: Program/erase cycles.
            retention_hours: Hours since programming.
            pages: Which of the pages that share a word line: the worst, the mean, or that of this bit of the Gray
                code. Bit 0 is read with the most references.

        Returns:
            float64 of the shape to which the three broadcast.
        """
        rates, shape = self._over(self._model.rber, step_v, cycles, retention_hours)
        if pages == "worst":
            picked: Floats = rates.max(axis=1)
        elif pages == "mean":
            picked = rates.mean(axis=1)
        elif isinstance(pages, int) and 0 <= pages < rates.shape[1]:
            picked = rates[:, pages]
        else:
            raise ConfigurationError(f"pages = {pages!r}: choose worst, mean or 0 to {rates.shape[1] - 1}.")
        return picked.reshape(shape)

    def references(self, step_v: ArrayLike, cycles: ArrayLike, retention_hours: ArrayLike) -> Floats:
        """Read references in volts: float64 with one more axis than the arguments, the boundaries between levels."""
        references, shape = self._over(self._model.references, step_v, cycles, retention_hours)
        return references.reshape((*shape, -1))

    def density(self, voltages: ArrayLike, step_v: float, cycles: float, retention_hours: float) -> Floats:
        """Probability density per volt of each level between neighbouring `voltages`: levels x (voltages - 1)."""
        edges = np.ascontiguousarray(voltages, dtype=np.float64)
        if edges.ndim != 1 or edges.size < 2 or not (np.diff(edges) > 0).all():
            raise ConfigurationError("voltages must be ascending, at least two of them.")
        shares = self._model.histogram(step_v, cycles, retention_hours, edges)
        density: Floats = shares / np.diff(edges)
        return density

    def cycles_until(self, limit_rber: ArrayLike, step_v: ArrayLike, retention_hours: ArrayLike) -> Floats:
        """Cycles after which the worst kind of page is just below `limit_rber`; 0: never, 1e6: at least so many."""
        lives, shape = self._over(self._model.cycles_until, step_v, limit_rber, retention_hours)
        return lives.reshape(shape)

    def limits(self) -> Row:
        """Largest raw bit error rates that the codes stand: `bch`, and `ldpc` by ascending number of references."""
        return _row(self._model.limits())

    def derived_modes(self, cycles: float, retention_hours: float) -> list[Row]:
        """The modes of differentiated ECC and AGCR at an age: step, latencies, references; `None` where unreadable."""
        modes: list[Row] = json.loads(self._model.derived_modes(cycles, retention_hours))
        return modes

    def second_writes(self, step_v: float, retention_hours: float) -> Row:
        """When a block's second writes end, and what share of its life that is (Reusable SSD, section 3.3)."""
        return _row(self._model.second_writes(step_v, retention_hours))

    def extended_cycles(
        self, cycles: ArrayLike, *, programs: int = 8, step_v: float | None = None, retention_hours: float = 0.0
    ) -> list[Row]:
        """Low pages of MLC cells that are overwritten in place (Margaglia and Brinkmann, Figure 6).

        Args:
            cycles: Extended P/E cycles of the block.
            programs: Programs of each low page in each of them, 1 to 255.
            step_v: Program step in volts; the normal one unless given.
            retention_hours: Hours since programming.

        Returns:
            For each of `cycles` the raw bit error rate after so many plain cycles, `plain`, and after extended ones.
            The latter has three values by the assumed cause of ageing: `aged_by_erases`, `aged_by_charge`,
            `aged_by_programs`.
        """
        flat = np.ascontiguousarray(cycles, dtype=np.float64).reshape(-1)
        step = self.step_v if step_v is None else step_v
        rows: list[Row] = json.loads(self._model.extended_cycles(step, programs, flat, retention_hours))
        return [{"cycles": float(age), **row} for age, row in zip(flat, rows, strict=True)]

    def _over(self, work: Callable[[Floats, Floats, Floats], Floats], *values: ArrayLike) -> tuple[Floats, Any]:
        try:
            arrays = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in values))
        except ValueError as error:
            raise ConfigurationError(f"Steps, cycles and retention do not go together: {error}.") from None
        flat = [np.ascontiguousarray(array).reshape(-1) for array in arrays]
        return work(flat[0], flat[1], flat[2]), arrays[0].shape


def _put(tables: dict[str, Any], key: str, value: Any) -> None:
    *path, last = key.split(".")
    place = tables
    for table in path:
        place = place.setdefault(table, {})
        if not isinstance(place, dict):
            raise ConfigurationError(
                f"Cell model: {key}: {table} is no table. See `rewear physics --json` for all keys."
            )
    place[last] = value


def _to_json(value: Any) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"Cell model: parameters must be plain finite values: {error}.") from None


def _row(text: str) -> Row:
    row: Row = json.loads(text)
    return row
