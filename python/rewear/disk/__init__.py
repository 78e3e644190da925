"""How long the disk that one has will live, from its SMART logs: `rewear.life()`."""

from rewear.disk.life import DiskLife, life
from rewear.disk.log import DiskLog, read_logs

__all__ = ["DiskLife", "DiskLog", "life", "read_logs"]
