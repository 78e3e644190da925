"""Numbers as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rewear.figures.units import (
    format_bytes,
    format_change,
    format_count,
    format_energy,
    format_number,
    format_share,
    format_time,
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
