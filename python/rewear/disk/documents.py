"""The logs in a file, whatever they are wrapped in: JSON, text, metrics of Prometheus; one object of JSON each.

Text and metrics become the fields that smartctl's JSON has, so that one reader serves all of them.
"""

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from rewear.core.errors import RewearError
from rewear.core.printable import printable
from rewear.disk import prometheus, smart_text

REMEDY: Final = "Write it with: smartctl -x /dev/DISK > FILE (as root), or nvme smart-log /dev/nvme0"
HEALTH: Final = "nvme_smart_health_information_log"
OCP: Final = ("Physical media units written", "physical_media_units_written")
"""In the two forms of `nvme ocp smart-add-log -o json`."""
INTEL: Final = ("nand_bytes_written", "host_bytes_written")
"""Bytes to flash and from the host in `nvme intel smart-log-add`, in units of 32 MiB."""

_MOST_BYTES = 16 * 2**20
_MARKS = frozenset(
    (
        "smartctl", HEALTH, "data_units_written", "ata_smart_attributes", "ata_device_statistics", "power_on_time",
        *OCP, *INTEL, "percent_used", "percentage_used", "power_on_hours", "scsi_error_counter_log", "rotation_rate",
    )
)  # fmt: skip
"""Keys that an object of JSON has if it is a log, and not something that holds logs."""
_OF_THE_DRIVE = (
    "model_name", "model_family", "serial_number", "user_capacity", "local_time", "logical_block_size",
    "in_smartctl_database",
)  # fmt: skip
"""Keys that a log takes over from the object around it."""
_BEGINS_JSON = re.compile(r"^[ \t]*(?=[{\[])", re.MULTILINE)
_MOST_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Document:
    """One log, as smartctl's JSON would have it."""

    path: Path
    tables: Mapping[str, Any]
    text: str
    """The file, in which keys are looked for."""
    begin: int = 0
    """Where in it the log begins."""
    place: str = ""
    """What tells it from other logs of the same file, where it names no drive."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """Lines of the keys, where the text does not have them as JSON does."""

    def at(self, key: str) -> str:
        """File and line of a key; the first line of the log where it is not."""
        line = self.lines.get(key)
        if line is None:
            at = -1 if self.lines else self.text.find(f'"{key}"', self.begin)
            line = self.text.count("\n", 0, max(at, self.begin)) + 1
        return f"{self.path}, line {line}"


def documents(path: Path) -> list[Document]:
    """The logs of a file.

    Raises:
        RewearError: The file cannot be read, or has no log in it.
    """
    text = _text(path)
    found = _of_metrics(path, text) or _of_text(path, text) if not _is_json(text) else _of_json(path, text)
    if not found:
        at = _BEGINS_JSON.search(text)
        if at is None:
            raise RewearError(f"{path}, line 1, column 1: neither JSON nor text of a SMART log. {REMEDY}.")
        found = _of_json(path, text)
    return _without_places(found)


def _without_places(found: list[Document]) -> list[Document]:
    """Leaves out places that tell nothing apart, so that logs of one drive in several files are of one drive."""
    if len({each.place for each in found}) > 1:
        return found
    return [Document(each.path, each.tables, each.text, each.begin, "", each.lines) for each in found]


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise RewearError(f"{path}: {error.strerror or error}. Name a file or a folder of logs. {REMEDY}.") from None
    if len(content) > _MOST_BYTES:
        raise RewearError(f"{path}: larger than 16 MiB, so no log of a drive. {REMEDY}.")
    try:
        return content.decode(_encoding(content)).replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise RewearError(f"{path}: byte {error.start + 1} is no text, so this is no log. {REMEDY}.") from None


def _encoding(content: bytes) -> str:
    """UTF-8 or UTF-16 by the byte order mark, or by the zeros of ASCII in UTF-16; otherwise as Windows writes it."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    head = content[:64]
    if len(head) >= 4 and not any(head[1::2]):
        return "utf-16-le"
    if len(head) >= 4 and not any(head[::2]):
        return "utf-16-be"
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8-sig"


def _is_json(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[")


def _of_text(path: Path, text: str) -> list[Document]:
    return [Document(path, tables, text, begin, place, lines) for tables, lines, begin, place in smart_text.logs(text)]


def _of_metrics(path: Path, text: str) -> list[Document]:
    return [
        Document(path, tables, text, 0, device, lines)
        for device, tables, lines in prometheus.logs(prometheus.samples(text))
    ]


def _of_json(path: Path, text: str) -> list[Document]:
    decoder = json.JSONDecoder(object_pairs_hook=lambda pairs: _table(path, text, pairs))
    found: list[Document] = []
    at: int | None = _next(text, 0)
    whole: list[Any] = []
    while at is not None:
        try:
            value, end = decoder.raw_decode(text, at)
        except RewearError:
            raise
        except json.JSONDecodeError as error:
            where = f"{path}, line {error.lineno}, column {error.colno}"
            raise RewearError(f"{where}: no JSON ({error.msg}). {REMEDY}.") from None
        except (RecursionError, ValueError):
            raise RewearError(
                f"{path}, line 1: no JSON of a log: too deep, or a number is too long. {REMEDY}."
            ) from None
        whole.append(value)
        several = f"{len(whole)}: " if len(whole) > 1 else ""
        found += [
            Document(path, tables, text, at, several + place, lines)
            for place, tables, lines in _logs(value, several, {})
        ]
        at = _next(text, end)
    if not found and whole:
        if not isinstance(whole[0], dict):
            raise RewearError(f"{path}, line 1: not an object of JSON, so no log of a drive. {REMEDY}.")
        found = [Document(path, whole[0], text)]
    return found


def _next(text: str, at: int) -> int | None:
    """Where the next value begins: behind blanks and commas, otherwise at the beginning of a line."""
    while at < len(text) and text[at] in " \t\r\n,;":
        at += 1
    if at < len(text) and text[at] in "{[":
        return at
    found = _BEGINS_JSON.search(text, at)
    return found.end() if found else None


_Found = tuple[str, Mapping[str, Any], Mapping[str, int]]


def _logs(value: Any, place: str, around: Mapping[str, Any], depth: int = 0) -> Iterator[_Found]:
    """The logs in a value of JSON, each with the keys that lead to it."""
    if depth > _MOST_DEPTH:
        return
    if isinstance(value, list):
        for number, each in enumerate(value, 1):
            yield from _logs(each, f"{place}{number} ", around, depth + 1)
    elif isinstance(value, dict):
        if isinstance(data := value.get("data"), dict) and "resultType" in data:
            series = prometheus.samples_of_query(data.get("result"))
            yield from ((device, tables, {}) for device, tables, _ in prometheus.logs(series))
        elif _MARKS & value.keys():
            yield place, {**around, **value}, {}
        else:
            inherited = {**around, **{key: value[key] for key in _OF_THE_DRIVE if key in value}}
            for key, each in value.items():
                yield from _logs(each, f"{place}{key} ", inherited, depth + 1)


def _table(path: Path, text: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A table of JSON; which of two values under one key counts, no standard says."""
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        key = next(key for key in keys if keys.count(key) > 1)
        written = json.dumps(key)
        line = text.count("\n", 0, text.find(written, text.find(written) + 1)) + 1
        raise RewearError(f"{path}, line {line}: the key {printable(key)} stands twice in one table. {REMEDY}.")
    return table
