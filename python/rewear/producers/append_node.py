"""An append-only node: the leaf of a log-structured B-tree.

The idea is that of Kaiser, Margaglia and Brinkmann, "Extending SSD lifetime in database applications with page
overwrites" (SYSTOR '13), whose nodes keep their records unsorted and append new ones. Appending clears bits of the
erased rest of the page, so every append is an overwrite. A newer record of a key hides the older ones; a full node is
rewritten with what is alive, or split by its owner.
"""

import struct
from collections.abc import Iterable, Iterator

from rewear.core.errors import RewearError
from rewear.device import Device
from rewear.producers.pages import ERASED, Pages

_HEADER = struct.Struct("<HH")
_FREE = 0xFFFF
"""Length of the key where no record begins: both bytes erased."""
_DELETED = 0xFFFE
"""Length of the value of a record that deletes its key."""


class NodeFullError(RewearError):
    """A record does not fit into what is left of its node: rewrite the node, or split it."""


class AppendNode:
    """Keys and values in one page, unsorted, the newest last.

    Args:
        device: Where the node lies.
        page: Its page.
        create: Whether the node begins empty; otherwise what lies there is read.
        overwrite: Whether appends use the overwrite command.

    Raises:
        DeviceError: There is no such page.
    """

    __slots__ = ("_data", "_end", "_pages")

    def __init__(self, device: Device, page: int, *, create: bool = True, overwrite: bool = True) -> None:
        """Begins the node, or reads what lies there."""
        self._pages = Pages(device, page, 1, overwrite)
        if create:
            self._data = bytearray([ERASED]) * self._pages.page_bytes
            self._end = 0
            self._pages.begin(0, bytes(self._data))
        else:
            self._data = bytearray(self._pages.read(0))
            self._end = sum(size for *_, size in self._records())

    @property
    def free_bytes(self) -> int:
        """Bytes that are left for records, of which each has a header of four bytes."""
        return len(self._data) - self._end

    def put(self, key: bytes, value: bytes) -> None:
        """Appends a record.

        Raises:
            NodeFullError: It does not fit any more.
            ValueError: A key or value longer than 65,533 bytes.
        """
        if len(value) >= _DELETED:
            raise ValueError(f"A value of {len(value)} bytes: at most {_DELETED - 1} fit a record.")
        self._append(key, len(value), value)

    def delete(self, key: bytes) -> None:
        """Appends a record that the key is gone; nothing if it is not there.

        Raises:
            NodeFullError: It does not fit any more.
        """
        if key in dict(self.items()):
            self._append(key, _DELETED, b"")

    def get(self, key: bytes) -> bytes | None:
        """The newest value of a key, or `None`."""
        return dict(self.items()).get(key)

    def items(self) -> Iterator[tuple[bytes, bytes]]:
        """Keys and newest values, in the order in which the keys came."""
        alive: dict[bytes, bytes] = {}
        for key, value, _ in self._records():
            if value is None:
                alive.pop(key, None)
            else:
                alive[key] = value
        return iter(alive.items())

    def rewrite(self, items: Iterable[tuple[bytes, bytes]] | None = None) -> None:
        """Begins the page anew with `items`, by default what is alive.

        Raises:
            NodeFullError: They do not fit; the node then is as before.
        """
        records = [(key, len(value), value) for key, value in (self.items() if items is None else items)]
        content = b"".join(_HEADER.pack(len(key), size) + key + value for key, size, value in records)
        if len(content) > len(self._data):
            raise NodeFullError(f"{len(content)} bytes of records do not fit into a page of {len(self._data)}.")
        self._data = bytearray(content.ljust(len(self._data), bytes([ERASED])))
        self._end = len(content)
        self._pages.begin(0, bytes(self._data))

    def _append(self, key: bytes, value_length: int, value: bytes) -> None:
        if not 0 < len(key) < _DELETED:
            raise ValueError(f"A key of {len(key)} bytes: it takes 1 to {_DELETED - 1}.")
        record = _HEADER.pack(len(key), value_length) + key + value
        if len(record) > self.free_bytes:
            raise NodeFullError(f"A record of {len(record)} bytes; {self.free_bytes} are left in the node.")
        written = self._data.copy()
        written[self._end : self._end + len(record)] = record
        self._pages.clear_bits(0, bytes(written))
        self._data = written
        self._end += len(record)

    def _records(self) -> Iterator[tuple[bytes, bytes | None, int]]:
        """Key, value (`None`: deleted) and size of each record, oldest first."""
        at = 0
        while at + _HEADER.size <= len(self._data):
            key_length, value_length = _HEADER.unpack_from(self._data, at)
            if key_length == _FREE:
                return
            start = at + _HEADER.size
            deleted = value_length == _DELETED
            end = start + key_length + (0 if deleted else value_length)
            key = bytes(self._data[start : start + key_length])
            yield key, None if deleted else bytes(self._data[start + key_length : end]), end - at
            at = end
