"""Experiments that are no replays: studies of codes, cells, traces and equations, done beside replays."""

import functools
import hashlib
import importlib.util
import inspect
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from types import ModuleType
from typing import Any

from rewear import _core
from rewear.core.errors import ConfigurationError, RewearError
from rewear.core.progress import Progress, ProgressCallback
from rewear.reproduce.number import Number, Numbers, UnknownError
from rewear.sweep import Row
from rewear.sweep.store import Identity, Outcome, key_of
from rewear.sweep.task import build

STUDIES = "rewear.reproduce.studies"

BY_SEED = "by_seed"
"""The only name among the numbers of a study that is repeated: its numbers by the seed."""

_SEED = "seed"


@dataclass(frozen=True, slots=True)
class Computation:
    """A call of a function of a study with plain arguments."""

    function: str
    """`module.function`."""
    arguments: dict[str, Any]
    """Of the function. With `seeds`, a list, it is called once for each of them, as its argument `seed`."""
    files: tuple[Path, ...]
    """Files that it reads; their content is part of the key."""
    folder: Path | None = None
    """Where the module lies, if it is none of `rewear.reproduce.studies`."""

    @property
    def identity(self) -> Identity:
        """Function, its source, arguments, files, version and build."""
        return {
            "rewear": _core.version(),
            "build": build(),
            "function": self.function,
            "source": _source_hash(self.function.partition(".")[0], self.folder),
            "arguments": self.arguments,
            "files": [hashlib.sha256(path.read_bytes()).hexdigest() for path in self.files],
        }

    @property
    def key(self) -> str:
        """Hash of the identity."""
        return key_of(self.identity)

    def perform(self, progress: ProgressCallback | None = None) -> Outcome:
        """Calls the function; `progress` is asked before each seed."""
        began = time.monotonic()
        arguments = dict(self.arguments)
        seeds = arguments.pop("seeds", None)
        try:
            study = function_of(self.function, self.folder)
            if seeds is None:
                numbers: Mapping[str, Any] = study(**arguments)
            else:
                numbers = {BY_SEED: dict(_repeated(study, arguments, seeds, progress))}
        except (RewearError, MemoryError) as error:
            return Outcome(None, str(error) or "out of memory", time.monotonic() - began)
        return Outcome({"numbers": json.loads(json.dumps(numbers))}, None, time.monotonic() - began)


def _repeated(
    study: Callable[..., Mapping[str, Any]], arguments: Mapping[str, Any], seeds: Sequence[int],
    progress: ProgressCallback | None,
) -> Iterator[tuple[str, Mapping[str, Any]]]:  # fmt: skip
    for done, seed in enumerate(seeds):
        if progress is not None:
            progress(Progress("study", done, len(seeds)))
        yield str(seed), study(**arguments, seed=seed)


def function_of(name: str, folder: Path | None = None) -> Callable[..., Mapping[str, Any]]:
    """The function of this name.

    Raises:
        ConfigurationError: There is none.
    """
    module, _, function = name.partition(".")
    try:
        found: Callable[..., Mapping[str, Any]] = getattr(study_module(module, folder), function)
    except (ImportError, AttributeError):
        raise ConfigurationError(
            f"There is no study {name!r} in {STUDIES}{f' or {folder}' if folder else ''}."
        ) from None
    return found


@functools.cache
def study_module(name: str, folder: Path | None = None) -> ModuleType:
    """The module `NAME.py` of a folder, else of `rewear.reproduce.studies`."""
    if folder is None or not (folder / f"{name}.py").is_file():
        return importlib.import_module(f"{STUDIES}.{name}")
    spec = importlib.util.spec_from_file_location(f"rewear_study_{name}", folder / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def _source_hash(module: str, folder: Path | None) -> str:
    return hashlib.sha256(inspect.getsource(study_module(module, folder)).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Computed:
    """Results of studies: numbers by name, as single values or by label; by the seed where they are repeated."""

    numbers: Mapping[str, Any]

    def labels(self, axis: str) -> Sequence[str]:
        """Labels of the number that is called like the axis."""
        return list(self._table(axis))

    def value(self, figure: str, place: Mapping[str, str]) -> Any:
        """A number, or its mean over the seeds; the labels of the place lead to it where it is a table, in order."""
        labels = dict(place)
        seed = labels.pop(_SEED, None)
        values = [_found(each, figure, labels) for each in self._repetitions(seed)]
        return values[0] if len(values) == 1 else fmean(values)

    def seeds(self) -> Sequence[Mapping[str, str]]:
        """The seeds of a study that is repeated; none of one that draws nothing."""
        return [{_SEED: seed} for seed in self.numbers.get(BY_SEED, ())]

    def is_drawn(self, number: Number) -> bool:
        """Whether the study is repeated."""
        return BY_SEED in self.numbers

    def asked(self) -> Sequence[Row]:
        """No runs: a study has none."""
        return ()

    def _repetitions(self, seed: str | None = None) -> Sequence[Mapping[str, Any]]:
        by_seed: Mapping[str, Mapping[str, Any]] = self.numbers.get(BY_SEED, {"": self.numbers})
        return list(by_seed.values()) if seed is None else [by_seed[seed]]

    def _table(self, name: str) -> Numbers:
        table = self._repetitions()[0].get(name)
        if not isinstance(table, dict):
            raise UnknownError(f"the study has no table {name!r}")
        return table


def _found(numbers: Mapping[str, Any], figure: str, labels: Mapping[str, str]) -> Any:
    found: Any = numbers.get(figure)
    if found is None:
        raise UnknownError(f"the study has no number {figure!r}")
    for label in labels.values():
        if not isinstance(found, Mapping) or label not in found:
            raise UnknownError(f"{figure} has no {label!r}")
        found = found[label]
    return found
