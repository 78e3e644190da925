"""Writes between two erases under the code that the authors of WOM-v released, transcribed by its counts alone.

github.com/uoftsystems/womv at commit c5de82a89763: `encode.c` sets a cell that cannot hold its data to level 15, gives
the data to the next cell and drops what is left over; `pblk-map.c` adds up the invalid bytes of all writes to a line,
and erases it once they pass 520,000 of a line of 1 GiB / 160; `write_trace_wom.cpp` writes counters from 0 to 126.
"""

import random
from collections.abc import Iterator

import pytest
from rewear import Drive, Workload
from rewear.core.ask import ask

LIMIT = 520_000 / (2**30 / 160)
CELLS = 8192
TOP = 15


def random_data(data_bits: int, draw: random.Random) -> Iterator[int]:
    """Symbols of fresh data."""
    return iter([draw.getrandbits(data_bits) for _ in range(CELLS)])


def counters(data_bits: int, draw: random.Random) -> Iterator[int]:
    """Symbols of the released payload: bytes that count from a random one, most significant bits first."""
    begin = draw.randrange(127)
    for place in range(CELLS):
        byte = (begin + place) % 127
        for shift in range(8 - data_bits, -1, -data_bits):
            yield byte >> shift & (1 << data_bits) - 1


def encode(cells: list[int], data: Iterator[int], mask: int) -> int:
    """Raises the cells of a page to its new data; returns how many could not take it. The table of levels is theirs."""
    invalid, symbol = 0, next(data)
    for place, level in enumerate(cells):
        raised = level + (symbol - level & mask)
        # A cell on its highest level is never asked.
        if level == TOP or raised > TOP:
            cells[place] = TOP
            invalid += 1
        else:
            cells[place] = raised
            symbol = next(data, 0)
    return invalid


def passes(data_bits: int, payload, pages: int = 8) -> int:
    """Passes over a line until it is erased."""
    draw = random.Random(1)
    line = [[0] * CELLS for _ in range(pages)]
    written, share = 0, 0.0
    while share <= LIMIT:
        share += sum(encode(page, payload(data_bits, draw), (1 << data_bits) - 1) for page in line) / CELLS / pages
        written += 1
    return written


@pytest.mark.parametrize(("data_bits", "released", "ours"), [(2, 8, 8), (1, 23, 25)])
def test_a_limit_of_the_unit_gives_two_writes_more_than_the_released_code_under_1_4(data_bits, released, ours):
    # It counts a cell again in every write that meets it, and gives up cells on the highest level. `unit` counts the
    # cells that are invalid at the end.
    assert passes(data_bits, random_data) == released
    asked = {"k": data_bits, "n": 4, "cells": CELLS * 64, "ecc_check": "unit", "max_invalid_share": LIMIT}
    assert ask("codes.wom-v-writes", **asked)["mean"] == pytest.approx(ours, abs=0.01)
    settings = {"reuse.scheme": "wom-v", "reuse.data_bits": data_bits, "reuse.ecc_check": "unit"}
    drive = Drive("wom-v-qlc", set={**settings, "flash.pages_per_block": 16})
    pages = drive.exported_bytes // 4096
    report = drive.replay(Workload(f"hot-s:requests={ours * 4 * pages}"), arrival="closed", queue_depth=1)
    slots = 160 * 4 * 16 // (4 // data_bits)
    # Every slot is written as often in a cycle: begun cycles count by the part that is used.
    cycles = report.erase_equivalents / (160 * 4)
    assert report.host_pages_written / (slots * cycles) == pytest.approx(ours, rel=0.02)


def test_the_released_payload_takes_about_as_many_writes_as_random_data():
    # The top bit of every byte is 0. The model's data is random, as the text of the paper says.
    assert (passes(2, counters), passes(1, counters)) == (8, 22)
