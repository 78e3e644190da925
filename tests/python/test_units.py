"""Numbers as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rewear.core.errors import ConfigurationError
from rewear.figures.units import (
    format_bytes,
    format_change,
    format_count,
    format_energy,
    format_number,
    format_share,
    format_time,
    parse_bytes,
    parse_share,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (format_bytes(0), "0 bytes"),
        (format_bytes(1023), "1,023 bytes"),
        (format_bytes(4096), "4.00 KiB"),
        (format_bytes(1024**3 * 3 // 2), "1.50 GiB"),
        (format_time(0), "0 ns"),
        (format_time(999), "999 ns"),
        (format_time(1500), "1.50 µs"),
        (format_time(60e9), "60.0 s"),
        (format_time(3600 * 10**9), "60.0 min"),
        (format_time(86400 * 10**9), "24.0 h"),
        (format_energy(0.0015), "1.50 mJ"),
        (format_energy(0), "0 nJ"),
        (format_energy(2500), "2.50 kJ"),
        (format_energy(3e-6), "3.00 µJ"),
        (format_count(1234567), "1,234,567"),
        (format_number(0.00012345), "0.000123"),
        (format_share(0.0734), "7.3%"),
        (format_change(65, 100), "−35%"),
        (format_change(104.2, 100), "+4.2%"),
        (format_change(1200, 100), "12×"),
        (format_change(386, 100), "3.9×"),
        (format_change(100, 100), "="),
        (format_change(100.01, 100), "≈"),
        (format_change(None, 100), ""),
        (format_change(5, 0), ""),
    ],
)
def test_examples(text, expected):
    assert text == expected


@given(st.integers(min_value=0, max_value=2**70))
def test_bytes_keep_three_digits(value):
    number, unit = format_bytes(value).split(" ")
    scale = 1024 ** ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"].index(unit)
    assert float(number.replace(",", "")) * scale == pytest.approx(value, rel=0.005)


@given(st.integers(min_value=1, max_value=10**18))
def test_times_keep_three_digits(value_ns):
    number, unit = format_time(value_ns).split(" ")
    scale = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "h": 3600e9}[unit]
    assert float(number.replace(",", "")) * scale == pytest.approx(value_ns, rel=0.005)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4096", 4096), ("4KiB", 4096), ("4kib", 4096), ("4kB", 4000), ("4KB", 4000), ("1T", 10**12), ("1tb", 10**12),
        ("1.5 GiB", 3 * 2**29), ("512mib", 2**29), ("2PB", 2 * 10**15),
    ],
)  # fmt: skip
def test_sizes_in_all_forms(text: str, expected: int):
    assert parse_bytes("--size", text) == expected


def test_a_bare_letter_of_a_request_size_is_binary():
    assert (parse_bytes("size", "4k", 1024), parse_bytes("size", "1M", 1024)) == (4096, 2**20)


@pytest.mark.parametrize("text", ["", "k", "1.0001k", "-1", "4iB", "1 TiBs", "1e3", "4 kk", "nan"])
def test_what_is_no_size_is_refused_with_the_forms(text: str):
    with pytest.raises(ConfigurationError, match="512MiB"):
        parse_bytes("--size", text)


def test_shares_are_percentages_or_parts():
    assert (parse_share("--worse", "7%"), parse_share("--worse", "0.07")) == (0.07, 0.07)
    with pytest.raises(ConfigurationError, match="no share"):
        parse_share("--worse", "much")
