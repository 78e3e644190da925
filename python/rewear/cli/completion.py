"""Completions of the shell: presets and keys behind them, chips, workloads, options of traces, claims."""

from collections.abc import Iterable


def _last(head: str, settings: str, known: Iterable[str]) -> list[str]:
    """Completions of the last of several settings behind `head:`, from those that are `known`."""
    before, comma, last = settings.rpartition(",")
    return [f"{head}:{before}{comma}{each}" for each in known if each.startswith(last)]


def _keys() -> list[str]:
    from rewear.core.parameters import parameters

    return [f"{parameter.key}=" for parameter in parameters()]


def drives(typed: str) -> list[str]:
    """Presets; behind a colon the keys of settings."""
    from rewear.core.drive import drives as presets

    head, colon, tail = typed.rpartition(":")
    if colon:
        return _last(head, tail, _keys())
    return [name for name in presets() if name.startswith(typed)]


def settings(typed: str) -> list[str]:
    """Keys of parameters, and the words that a key takes."""
    from rewear.core.parameters import parameters

    key, equals, word = typed.partition("=")
    if not equals:
        return [each for each in _keys() if each.startswith(typed)]
    choices = [choice.value for each in parameters() if each.key == key for choice in each.choices]
    return [f"{key}={choice}" for choice in choices if choice.startswith(word)]


def workloads(typed: str) -> list[str]:
    """Generators; behind a colon their parameters."""
    from rewear.core.workload import workloads as catalogue

    name, colon, tail = typed.partition(":")
    if not colon:
        return [each["name"] for each in catalogue() if each["name"].startswith(typed)]
    own = [parameter["name"] for each in catalogue() if each["name"] == name for parameter in each["parameters"]]
    return _last(name, tail, [f"{each}=" for each in own])


def chips(typed: str) -> list[str]:
    """Chips of `rewear advise`."""
    from rewear.advice.chips import chip_names

    return [name for name in chip_names() if name.startswith(typed)]


def traces(typed: str) -> list[str]:
    """Behind a file's name and a colon the options of traces, and the words that they take; files are the shell's."""
    from rewear.cli.arguments import TRACE_OPTIONS

    name, colon, tail = typed.partition(":")
    key, equals, _ = tail.rpartition(",")[2].partition("=")
    known = [f"{key}={each}" for each in _trace_words(key)] if equals else [f"{each}=" for each in TRACE_OPTIONS]
    return _last(name, tail, known) if colon else []


def _trace_words(key: str) -> list[str]:
    """The words that an option of a trace takes."""
    from rewear.core.trace import trace_formats

    if key == "format":
        return [str(each["name"]) for each in trace_formats()]
    flags = dict.fromkeys(("skip_bad_lines", "skip_trims"), ["true"])
    return {**flags, "time_unit": ["ns", "ticks", "us", "ms", "s"], "event": ["Q", "D", "C"]}.get(key, [])


def claims(typed: str) -> list[str]:
    """Papers; behind the name of one and a dot its claims and figures. Nothing outside a checkout."""
    from rewear.core.errors import ConfigurationError
    from rewear.reproduce.paper import papers_folder, read_papers

    try:
        papers = read_papers(papers_folder())
    except ConfigurationError:
        return []
    name, dot, part = typed.partition(".")
    if not dot:
        return [each for each in papers if each.startswith(name)]
    if name not in papers:
        return []
    known = dict.fromkeys(each.id for each in papers[name].all)
    return [f"{name}.{each}" for each in known if each.startswith(part)]
