"""Consecutive pages of a device whose data begins anew or only clears bits."""

from rewear.core.errors import DeviceError
from rewear.device import Device

ERASED = 0xFF
"""Every bit can still be cleared."""


class Pages:
    """A range of whole pages.

    What is written to a page is either new or has bits cleared, and the device is told which.

    Args:
        device: Where the pages lie.
        first_page: The first page of the range.
        count: Pages of the range.
        overwrite: Whether the overwrite command is used; otherwise everything is written by the ordinary command.

    Raises:
        DeviceError: The range reaches beyond the device.
    """

    __slots__ = ("count", "device", "first_page", "overwrite", "page_bytes")

    def __init__(self, device: Device, first_page: int, count: int, overwrite: bool = True) -> None:
        """Checks that the pages are there."""
        self.device, self.first_page, self.count, self.overwrite = device, first_page, count, overwrite
        self.page_bytes = device.page_bytes
        pages = device.exported_bytes // self.page_bytes
        if first_page < 0 or count < 1 or first_page + count > pages:
            raise DeviceError(
                f"Pages {first_page} to {first_page + count - 1} are not among the {pages} of the device."
            )

    def begin(self, index: int, data: bytes) -> None:
        """Gives a page new content, whatever it held."""
        offset = self._offset(index)
        if self.overwrite:
            # A page that holds nothing takes any overwrite, and goes where it can be overwritten again.
            self.device.trim(offset, self.page_bytes)
            self.device.overwrite(offset, data)
        else:
            self.device.write(offset, data)

    def clear_bits(self, index: int, data: bytes) -> None:
        """Writes a page again with some of its bits cleared."""
        put = self.device.overwrite if self.overwrite else self.device.write
        put(self._offset(index), data)

    def read(self, index: int) -> bytes:
        """The content of a page."""
        return self.device.read(self._offset(index), self.page_bytes)

    def _offset(self, index: int) -> int:
        return (self.first_page + index) * self.page_bytes
