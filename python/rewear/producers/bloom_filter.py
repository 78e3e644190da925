"""A Bloom filter whose bits are only cleared.

Bloom, "Space/time trade-offs in hash coding with allowable errors" (CACM, 1970), with the bits the other way round.
All are 1 at first, and adding a key clears those that its hashes name. So every change is an overwrite. Changes
collect in memory until `flush`, as many as come together cost one program of each page that they touch.
"""

import hashlib

from rewear.device import Device
from rewear.producers.pages import ERASED, Pages


class BloomFilter:
    """A set of keys that may say yes by mistake and never no.

    Args:
        device: Where the filter lies.
        first_page: Its first page.
        pages: Its pages; each has 8 bits a byte.
        hashes: Bits of each key.
        create: Whether the filter begins empty; otherwise what lies there is read.
        overwrite: Whether changes use the overwrite command.

    Raises:
        DeviceError: The pages are not on the device.
        ValueError: No hash at all.
    """

    __slots__ = ("_bits", "_dirty", "_hashes", "_pages")

    def __init__(
        self, device: Device, first_page: int, pages: int, hashes: int, *, create: bool = True, overwrite: bool = True
    ) -> None:
        """Begins the filter, or reads what lies there."""
        if hashes < 1:
            raise ValueError(f"{hashes} bits a key: give at least 1.")
        self._pages = Pages(device, first_page, pages, overwrite)
        self._hashes = hashes
        self._dirty: set[int] = set()
        self._bits = bytearray()
        if create:
            self.clear()
        else:
            self._bits = bytearray(b"".join(self._pages.read(index) for index in range(pages)))

    def add(self, key: bytes) -> None:
        """Adds a key, in memory until the next `flush`."""
        for bit in self._positions(key):
            byte, mask = bit >> 3, 1 << (bit & 7)
            if self._bits[byte] & mask:
                self._bits[byte] &= ~mask
                self._dirty.add(byte // self._pages.page_bytes)

    def __contains__(self, key: bytes) -> bool:
        return not any(self._bits[bit >> 3] & 1 << (bit & 7) for bit in self._positions(key))

    def flush(self) -> None:
        """Writes the pages that changed."""
        for index in sorted(self._dirty):
            self._pages.clear_bits(index, self._page(index))
        self._dirty.clear()

    def clear(self) -> None:
        """Forgets all keys."""
        self._bits = bytearray([ERASED]) * (self._pages.count * self._pages.page_bytes)
        self._dirty.clear()
        for index in range(self._pages.count):
            self._pages.begin(index, self._page(index))

    @property
    def fill(self) -> float:
        """Share of the bits that are cleared; the filter errs with about this to the power of `hashes`."""
        return 1 - int.from_bytes(self._bits, "little").bit_count() / (8 * len(self._bits))

    def _page(self, index: int) -> bytes:
        start = index * self._pages.page_bytes
        return bytes(self._bits[start : start + self._pages.page_bytes])

    def _positions(self, key: bytes) -> list[int]:
        """Bits of a key by double hashing (Kirsch and Mitzenmacher, 2006)."""
        digest = hashlib.blake2b(key, digest_size=16).digest()
        first, step = int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little") | 1
        return [(first + number * step) % (8 * len(self._bits)) for number in range(self._hashes)]
