"""Blocks of any data in a write-once-memory code, each page written twice before it begins anew.

The code is that of Rivest and Shamir (1982) with the table of the extended P/E cycles paper (its Table I). It stores
two bits in three, the second time by clearing bits only. So every other write of a block is an overwrite, and a
block takes half as much space again.
"""

import numpy as np

from rewear.codes import RivestShamir
from rewear.device import Device
from rewear.producers.pages import ERASED, Pages

_GENERATIONS = {0xFF: 0, 0xFE: 1, 0xFC: 2}
"""The first byte of a page -> how often the page was written since it began anew."""
_MARKS = {generation: mark for mark, generation in _GENERATIONS.items()}


class WomStore:
    """Numbered blocks, each on one page of the device.

    Args:
        device: Where the blocks lie.
        first_page: Page of block 0.
        blocks: How many blocks there are.
        overwrite: Whether second writes use the overwrite command.

    Raises:
        DeviceError: The pages are not on the device.
    """

    __slots__ = ("_code", "_pages", "block_bytes")

    def __init__(self, device: Device, first_page: int, blocks: int, *, overwrite: bool = True) -> None:
        """Finds how much data a page holds."""
        self._pages = Pages(device, first_page, blocks, overwrite)
        self._code = RivestShamir("seal")
        # One byte of the page says the generation.
        self.block_bytes = (self._pages.page_bytes - 1) * 2 // 3
        while self._code.image_bytes(self.block_bytes) > self._pages.page_bytes - 1:
            self.block_bytes -= 1

    def write(self, block: int, data: bytes) -> None:
        """Writes a block.

        Raises:
            ValueError: Another size than `block_bytes`, or no such block.
        """
        self._check(block)
        if len(data) != self.block_bytes:
            raise ValueError(f"{len(data)} bytes for a block of {self.block_bytes}.")
        page, plain = self._pages.read(block), np.frombuffer(data, np.uint8)
        if self._generation(page) == 1:
            image = self._code.encode(plain, np.frombuffer(page[1:], np.uint8)[: self._image_bytes])
            self._pages.clear_bits(block, self._page(2, image))
        else:
            self._pages.begin(block, self._page(1, self._code.encode(plain)))

    def read(self, block: int) -> bytes:
        """A block; zeros if it was never written.

        Raises:
            ValueError: No such block.
        """
        self._check(block)
        page = self._pages.read(block)
        if self._generation(page) == 0:
            return bytes(self.block_bytes)
        image = np.frombuffer(page[1:], np.uint8)[: self._image_bytes]
        return self._code.decode(image)[: self.block_bytes].tobytes()

    @property
    def _image_bytes(self) -> int:
        return self._code.image_bytes(self.block_bytes)

    def _page(self, generation: int, image: np.ndarray) -> bytes:
        content = bytes([_MARKS[generation]]) + image.tobytes()
        return content.ljust(self._pages.page_bytes, bytes([ERASED]))

    @staticmethod
    def _generation(page: bytes) -> int:
        # A page that was never written reads as zeros.
        return _GENERATIONS.get(page[0], 0)

    def _check(self, block: int) -> None:
        if not 0 <= block < self._pages.count:
            raise ValueError(f"There is no block {block}; there are {self._pages.count}.")
