"""What the shell completes: presets, keys behind a preset, chips, workloads, formats."""

from collections.abc import Callable, Iterable

__all__ = ["chips", "drives", "settings", "starting", "workloads"]


def starting(words: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """A completion from a list that is made when it is asked for."""
    return lambda typed: [word for word in words() if word.startswith(typed)]


def _keys() -> list[str]:
    from rewear.parameters import parameters

    return [f"{parameter.key}=" for parameter in parameters()]


def drives(typed: str) -> list[str]:
    """Presets; behind a colon the keys of settings."""
    from rewear.drive import drives as presets

    head, colon, tail = typed.rpartition(":")
    if colon:
        before, comma, key = tail.rpartition(",")
        return [f"{head}:{before}{comma}{each}" for each in _keys() if each.startswith(key)]
    return [name for name in presets() if name.startswith(typed)]


def settings(typed: str) -> list[str]:
    """Keys of parameters, and the words that a key takes."""
    from rewear.parameters import parameters

    key, equals, word = typed.partition("=")
    if not equals:
        return [each for each in _keys() if each.startswith(typed)]
    choices = [choice.value for each in parameters() if each.key == key for choice in each.choices]
    return [f"{key}={choice}" for choice in choices if choice.startswith(word)]


def workloads(typed: str) -> list[str]:
    """Generators; behind a colon their parameters."""
    from rewear.workload import workloads as catalogue

    name, colon, tail = typed.partition(":")
    if not colon:
        return [each["name"] for each in catalogue() if each["name"].startswith(typed)]
    before, comma, key = tail.rpartition(",")
    known = [
        f"{parameter['name']}=" for each in catalogue() if each["name"] == name for parameter in each["parameters"]
    ]
    return [f"{name}:{before}{comma}{each}" for each in known if each.startswith(key)]


def chips(typed: str) -> list[str]:
    """Chips of `rewear advise`."""
    from rewear.advise.chips import chip_names

    return starting(chip_names)(typed)
