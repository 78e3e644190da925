"""Notes of several reports, each said once: those that differ in their figures alone become one."""

import re
from collections.abc import Iterable, Sequence

_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def shared_notes(noted: Iterable[tuple[str, Sequence[str]]]) -> list[tuple[str, str]]:
    """Labels and text of each note, from the label and the notes of each drive.

    The labels are `all drives` where all of several carry the note. Of notes that differ in their figures the one with
    the largest is given, and its drive is named.
    """
    drives = [(label, tuple(notes)) for label, notes in noted]
    carriers: dict[str, list[tuple[str, str]]] = {}
    for label, notes in drives:
        for note in notes:
            carriers.setdefault(_NUMBER.sub("#", note), []).append((label, note))
    return [_together(carried, len(drives)) for carried in carriers.values()]


def _together(carried: list[tuple[str, str]], drives: int) -> tuple[str, str]:
    labels = list(dict.fromkeys(label for label, _ in carried))
    named = "all drives" if 1 < drives == len(labels) else ", ".join(labels)
    label, note = max(carried, key=lambda each: _figures(each[1]))
    if len({each for _, each in carried}) > 1:
        named += f"; the figures are those of {label}, the largest"
    return named, note


def _figures(note: str) -> list[float]:
    return [float(number.replace(",", "")) for number in _NUMBER.findall(note)]
