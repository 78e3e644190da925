"""Logs of smartctl's JSON as its text: written from its sources, to hold the reader of text against that of JSON."""

import time
from typing import Any

Log = dict[str, Any]


def text_of(log: Log, separator: str = ",", brief: bool = False) -> str:
    """What `smartctl -x` prints (or `-a`, with attributes in the long form) for what its JSON has."""

    def grouped(number: int) -> str:
        return f"{number:,}".replace(",", separator)

    lines = [
        "smartctl 7.4 2023-08-01 r5530 [x86_64-linux-6.12.0] (local build)",
        "Copyright (C) 2002-23, and others",
        "",
    ]
    lines += ["=== START OF INFORMATION SECTION ==="]
    if "nvme_smart_health_information_log" in log:
        lines += _nvme(log, grouped)
    elif "scsi_vendor" in log:
        lines += _sas(log, grouped)
    else:
        lines += _ata(log, grouped, brief)
    return "\n".join(lines) + "\n"


def _time(log: Log) -> list[str]:
    at = log.get("local_time", {}).get("time_t")
    return [] if at is None else [f"Local Time is:    {time.asctime(time.gmtime(at))} UTC"]


def _nvme(log: Log, grouped: Any) -> list[str]:
    lines = []
    if "model_name" in log:
        lines.append(f"Model Number:                       {log['model_name']}")
    if "serial_number" in log:
        lines.append(f"Serial Number:                      {log['serial_number']}")
    if "nvme_total_capacity" in log:
        lines.append(f"Total NVM Capacity:                 {grouped(log['nvme_total_capacity'])} [1.00 TB]")
        lines.append("Unallocated NVM Capacity:           0")
    for each in log.get("nvme_namespaces", []):
        size, capacity, used = (each.get(key, {}).get("bytes") for key in ("size", "capacity", "utilization"))
        number = each.get("id", 1)
        if size == capacity:
            lines.append(f"Namespace {number} Size/Capacity:          {grouped(size)} [1.00 TB]")
        else:
            lines.append(f"Namespace {number} Size:                   {grouped(size)} [1.00 TB]")
            lines.append(f"Namespace {number} Capacity:               {grouped(capacity)} [1.00 TB]")
        if used != capacity:
            lines.append(f"Namespace {number} Utilization:            {grouped(used)} [1.00 TB]")
        lines.append(f"Namespace {number} Formatted LBA Size:     {log.get('logical_block_size', 512)}")
    if not log.get("nvme_namespaces") and "user_capacity" in log:
        lines.append(f"Namespace 1 Size/Capacity:          {grouped(log['user_capacity']['bytes'])} [1.00 TB]")
    health = log["nvme_smart_health_information_log"]
    lines += [*_time(log), "", "SMART/Health Information (NVMe Log 0x02)", "Critical Warning:                   0x00"]
    for key, words in (
        ("percentage_used", "Percentage Used:                    "),
        ("data_units_read", "Data Units Read:                    "),
        ("data_units_written", "Data Units Written:                 "),
        ("host_writes", "Host Write Commands:                "),
        ("power_on_hours", "Power On Hours:                     "),
    ):
        if key in health:
            unit = "%" if key == "percentage_used" else " [969 TB]" if "units" in key else ""
            lines.append(f"{words}{grouped(health[key])}{unit}")
    return lines


def _sas(log: Log, grouped: Any) -> list[str]:
    hours, minutes = log["power_on_time"]["hours"], log["power_on_time"].get("minutes", 0)
    lines = [
        f"Vendor:               {log['scsi_vendor']}",
        f"Product:              {log['scsi_product']}",
        f"User Capacity:        {grouped(log['user_capacity']['bytes'])} bytes [3.84 TB]",
        "Logical block size:   512 bytes",
        "Rotation Rate:        Solid State Device",
        f"Serial number:        {log['serial_number']}",
        *(line.replace("is:    ", "is:        ") for line in _time(log)),
        "",
        f"Percentage used endurance indicator: {log['scsi_percentage_used_endurance_indicator']}%",
        "Current Drive Temperature:     36 C",
        f"Accumulated power on time, hours:minutes {hours}:{minutes:02}",
        "",
        "Error counter log:",
    ]
    for name, pad in (("read", "   "), ("write", "  ")):
        processed = log["scsi_error_counter_log"][name]["gigabytes_processed"]
        lines.append(f"{name}:{pad}       0        0         0         0          0   {processed:>12}           0")
    return lines


def _ata(log: Log, grouped: Any, brief: bool) -> list[str]:
    lines = []
    if "model_family" in log:
        lines.append(f"Model Family:     {log['model_family']}")
    if "model_name" in log:
        lines += [f"Device Model:     {log['model_name']}", f"Serial Number:    {log['serial_number']}"]
    if "user_capacity" in log:
        lines.append(f"User Capacity:    {grouped(log['user_capacity']['bytes'])} bytes [1.00 TB]")
    lines.append(f"Sector Sizes:     {log.get('logical_block_size', 512)} bytes logical, 4096 bytes physical")
    lines.append(
        f"Rotation Rate:    {log['rotation_rate']} rpm"
        if log.get("rotation_rate")
        else "Rotation Rate:    Solid State Device"
    )
    if "trim" in log:
        lines.append(f"TRIM Command:     {'Available, deterministic' if log['trim']['supported'] else 'Unavailable'}")
    if "in_smartctl_database" in log:
        known = "In" if log["in_smartctl_database"] else "Not in"
        lines.append(f"Device is:        {known} smartctl database 7.3/5528")
    lines += [*_time(log), "", "SMART Attributes Data Structure revision number: 16"]
    heading = (
        "FLAGS    VALUE WORST THRESH FAIL RAW_VALUE"
        if brief
        else "FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE"
    )
    lines.append(f"ID# ATTRIBUTE_NAME          {heading}")
    for row in log.get("ata_smart_attributes", {}).get("table", []):
        raw, value = row["raw"].get("string", str(row["raw"]["value"])), row["value"]
        flags = "PO--CK " if brief else "0x0032"
        more = "-    " if brief else "Old_age   Always       -       "
        lines.append(f"{row['id']:3} {row['name']:<24}{flags}  {value:03}   {value:03}   000    {more}{raw}")
    pages = log.get("ata_device_statistics", {}).get("pages", [])
    if pages:
        lines += ["", "Device Statistics (GP Log 0x04)", "Page  Offset Size        Value Flags Description"]
    for page in pages:
        number = page["number"]
        lines.append(f"0x{number:02x}  =====  =               =  ===  == {page['name']} (rev 1) ==")
        for row in page["table"]:
            value = row["value"] if row.get("flags", {}).get("valid", True) and "value" in row else "-"
            lines.append(f"0x{number:02x}  0x{row['offset']:03x}  {row['size']} {value:>15}  --- {row['name']}")
    return lines
