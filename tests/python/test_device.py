"""A device in use, and the producers of data that only clears bits."""

import random
import runpy
from pathlib import Path

import pytest
import rewear as api
from hypothesis import given
from hypothesis import strategies as st
from rewear.producers import AppendNode, BloomFilter, NodeFullError, WomStore

TINY = {
    "reuse.scheme": "seal",
    "flash.channels": 1,
    "flash.dies_per_channel": 2,
    "flash.blocks_per_plane": 12,
    "flash.pages_per_block": 16,
    "flash.page_bytes": 512,
    "ftl.over_provisioning": 1.0,
}


def tiny(**changes: object) -> api.Device:
    return api.Device("openssd", set={**TINY, **changes})


def test_overwrites_clear_bits_in_place_and_refuse_to_set_them():
    device = tiny()
    assert device.overwrites_in_place
    device.overwrite(0, b"\xff" * 512)
    device.overwrite(3, b"\x0f\xf0")
    assert device.read(0, 8) == b"\xff\xff\xff\x0f\xf0\xff\xff\xff"
    with pytest.raises(api.DeviceError, match=r"overwrite of logical page 0 refused: byte 3 .* write command"):
        device.overwrite(2, b"\x00\x10")
    assert device.read(0, 8) == b"\xff\xff\xff\x0f\xf0\xff\xff\xff"
    device.write(2, b"\x00\x10")
    assert device.read(0, 4) == b"\xff\xff\x00\x10"
    statistics = device.statistics
    assert (statistics.overwrites, statistics.reprograms, statistics.host_pages_written) == (2, 1, 3)


def test_an_overwrite_over_several_pages_is_refused_as_a_whole():
    device = tiny()
    device.write(0, b"\xff" * 512 + b"\x00" * 512)
    with pytest.raises(api.DeviceError, match="logical page 1"):
        device.overwrite(0, b"\x01" * 1024)
    assert device.read(0, 1024) == b"\xff" * 512 + b"\x00" * 512


def test_a_plain_drive_takes_overwrites_as_writes():
    device = tiny(**{"reuse.scheme": "none"})
    assert not device.overwrites_in_place
    device.overwrite(0, b"\x00")
    device.overwrite(0, b"\xff")
    assert device.read(0, 1) == b"\xff"
    assert device.statistics.reprograms == 0


def test_what_a_device_is_not():
    with pytest.raises(api.ConfigurationError, match=r"flash\.medium"):
        api.Device(api.Drive("openssd"))
    device = tiny()
    with pytest.raises(api.DeviceError, match="reach beyond"):
        device.read(device.exported_bytes - 1, 2)
    with pytest.raises(api.DeviceError, match="reach beyond"):
        device.write(device.exported_bytes, b"x")
    device.write(device.exported_bytes - 1, b"x")
    device.trim(0, device.exported_bytes)
    assert device.read(device.exported_bytes - 1, 1) == b"\0"


@given(st.lists(st.tuples(st.integers(0, 30), st.binary(max_size=40)), max_size=60), st.booleans())
def test_a_node_holds_the_newest_value_of_every_key(records, overwrite):
    device = tiny()
    node, expected = AppendNode(device, 1, overwrite=overwrite), {}
    for number, value in records:
        key = b"key %d" % number
        if not value:
            try:
                node.delete(key)
            except NodeFullError:
                continue
            expected.pop(key, None)
            continue
        try:
            node.put(key, value)
        except NodeFullError:
            assert node.free_bytes < 4 + len(key) + len(value)
            try:
                node.rewrite([*((old, held) for old, held in node.items() if old != key), (key, value)])
            except NodeFullError:
                continue
        expected[key] = value
    assert dict(node.items()) == expected
    assert dict(AppendNode(device, 1, create=False).items()) == expected


def test_a_bloom_filter_never_forgets():
    device = tiny()
    seen = BloomFilter(device, first_page=2, pages=4, hashes=4)
    for number in range(300):
        seen.add(b"%d" % number)
        if number % 10 == 0:
            seen.flush()
    seen.flush()
    stored = BloomFilter(device, first_page=2, pages=4, hashes=4, create=False)
    assert all(b"%d" % number in stored for number in range(300))
    assert sum(b"stranger %d" % number in stored for number in range(2000)) < 20
    assert stored.fill == pytest.approx(1 - (1 - 1 / 16384) ** 1200, rel=0.05)
    assert device.statistics.reprograms > 60
    stored.clear()
    assert b"1" not in BloomFilter(device, first_page=2, pages=4, hashes=4, create=False)


@given(st.integers(0, 1 << 30))
def test_a_store_holds_any_data_and_writes_every_page_twice(seed):
    device, chance = tiny(), random.Random(seed)
    store, held = WomStore(device, 3, 4), {}
    for _ in range(24):
        block, data = chance.randrange(4), chance.randbytes(store.block_bytes)
        store.write(block, data)
        held[block] = data
    assert all(store.read(block) == held.get(block, bytes(store.block_bytes)) for block in range(4))
    assert 8 <= device.statistics.reprograms <= 12


@pytest.mark.parametrize("name", ["append_nodes", "bloom_filter"])
def test_the_examples_save_erases(name):
    example = runpy.run_path(str(Path(__file__).parents[2] / "examples" / f"{name}.py"))
    short = {"append_nodes": {"OPERATIONS": 15_000}, "bloom_filter": {"BATCHES": 700}}[name]
    example["run"].__globals__.update(short)
    plain, overwritten = example["run"](overwrite=False), example["run"](overwrite=True)
    assert overwritten.erases < plain.erases
    assert overwritten.reprograms > overwritten.overwrites / 2
