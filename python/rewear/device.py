"""A drive in use: a program writes and reads it, and its flash pays for that."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewear import _core
from rewear.core.drive import Drive


@dataclass(frozen=True, slots=True)
class DeviceStatistics:
    """Counts of a device so far. Host pages are logical pages of the drive, all others physical pages."""

    host_pages_read: int
    host_pages_written: int
    host_pages_trimmed: int
    overwrites: int
    """Of the written pages, those that came by the overwrite command to a drive that makes use of it."""
    reprograms: int
    """Programs of pages that already held data."""
    pages_programmed: int
    pages_read: int
    pages_moved: int
    """Logical pages moved by cleaning."""
    garbage_collections: int
    erases: int
    """Blocks erased."""
    seals: int
    """Blocks whose high pages were opened for writing while their low pages kept their data."""
    simulated_ns: int


class Device:
    r"""A modelled SSD with the real contents of its cells, addressed by bytes. It is empty at first.

    Examples:
        >>> import rewear
        >>> small = {"flash.blocks_per_plane": 10, "flash.page_bytes": 512, "ftl.over_provisioning": 1.0}
        >>> device = rewear.Device("openssd", set={"reuse.scheme": "seal", **small})
        >>> device.overwrite(0, b"\xff" * 512)
        >>> device.overwrite(0, b"\x5a")
        >>> device.read(0, 2)
        b'Z\xff'
        >>> device.statistics.reprograms
        1
    """

    __slots__ = ("_core",)

    def __init__(self, drive: Drive | str | Path, set: Mapping[str, Any] | None = None) -> None:
        """Builds an empty device.

        Args:
            drive: A preset, the path of a TOML file, or a `Drive` whose `flash.medium` is `stored`.
            set: Parameters to change, as in `Drive`; with a preset or file, the cells are stored without asking.

        Raises:
            ConfigurationError: There is no such drive, its cells are modelled, or they do not fit into memory.
        """
        if not isinstance(drive, Drive):
            drive = Drive(drive, set={"flash.medium": "stored", **(set or {})})
        self._core = _core.Device(drive._core)

    @property
    def exported_bytes(self) -> int:
        """Bytes that can be addressed."""
        return self._core.exported_bytes

    @property
    def page_bytes(self) -> int:
        """Bytes of the page that the drive maps and programs."""
        return self._core.page_bytes

    @property
    def overwrites_in_place(self) -> bool:
        """Whether overwrites are programmed in place (`reuse.scheme = "seal"`); elsewhere they are writes."""
        return self._core.overwrites_in_place

    @property
    def statistics(self) -> DeviceStatistics:
        """Counts of the device so far."""
        return DeviceStatistics(**json.loads(self._core.statistics()))

    def write(self, offset: int, data: bytes) -> None:
        """Writes bytes of any content. What is written to a part of a page has the rest read and written with it.

        Raises:
            DeviceError: The bytes reach beyond the device, or it has no space left.
        """
        self._core.write(offset, data, False)

    def overwrite(self, offset: int, data: bytes) -> None:
        """Writes bytes that only clear bits of what is there (a page that was never written takes anything).

        Raises:
            DeviceError: A bit that is 0 would become 1, on a drive that overwrites in place: then nothing was
                written. Or the bytes reach beyond the device, or it has no space left.
        """
        self._core.write(offset, data, True)

    def read(self, offset: int, length: int) -> bytes:
        """The bytes of a range; zeros where nothing was written.

        Raises:
            DeviceError: The range reaches beyond the device.
        """
        return self._core.read(offset, length)

    def trim(self, offset: int, length: int) -> None:
        """Forgets the pages that lie wholly in a range."""
        self._core.trim(offset, length)

    def flush(self) -> None:
        """Waits until everything is programmed."""
        self._core.flush()

    def __repr__(self) -> str:
        return f"<rewear.Device of {self.exported_bytes} bytes>"
