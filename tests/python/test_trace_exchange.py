"""Traces go out and come in: csv, Parquet, fio's iolog, Arrow and the frames that read it."""

from pathlib import Path
from typing import Any

import pytest
import rewear as api
from rewear.core.errors import ConfigurationError, TraceError

pa = pytest.importorskip("pyarrow")

ROWS = [
    {"at_ns": 0, "operation": "write", "offset_bytes": 4096, "length_bytes": 8192, "volume": "a", "stream": 3},
    {"at_ns": 1500, "operation": "read", "offset_bytes": 0, "length_bytes": 512, "volume": "b", "stream": 0},
    {"at_ns": 2500, "operation": "flush", "offset_bytes": 0, "length_bytes": 0, "volume": "a", "stream": 0},
    {"at_ns": 9000, "operation": "trim", "offset_bytes": 8192, "length_bytes": 4096, "volume": "b", "stream": 0},
]


def frame() -> dict[str, list[Any]]:
    return {key: [row[key] for row in ROWS] for key in ROWS[0]}


def test_a_trace_comes_back_through_every_form(tmp_path: Path):
    trace = api.Trace.from_arrow(frame())
    assert list(trace) == ROWS
    for name in ("1.csv", "2.rwt", "3.parquet", "4.csv"):
        written = trace.convert(tmp_path / name)
        assert (written["requests"], written["bytes"]) == (4, (tmp_path / name).stat().st_size)
        trace = api.Trace(tmp_path / name)
        assert list(trace) == ROWS
        assert (len(trace), bool(trace), trace.head(1)[0]["stream"]) == (4, True, 3)
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "4.csv").read_bytes()


def test_fio_reads_what_fio_can(tmp_path: Path):
    written = api.Trace.from_arrow(frame()).convert(tmp_path / "out.iolog")
    assert (tmp_path / "out.iolog").read_text().splitlines() == [
        "fio version 3 iolog", "0 a add", "0 a open", "0 a write 4096 8192", "0 b add", "0 b open", "1 b read 0 512",
        "2 a datasync 0 0", "9 b trim 8192 4096",
    ]  # fmt: skip
    assert (written["requests"], written["left_out"]) == (4, 0)
    again = api.Trace(tmp_path / "out.iolog")
    assert [row["operation"] for row in again] == [row["operation"] for row in ROWS]


def test_streams_and_frames_of_others(tmp_path: Path):
    trace = api.Trace.from_arrow(frame())
    table = pa.RecordBatchReader.from_stream(trace).read_all()
    assert table == trace.to_arrow()
    assert table.to_pylist() == ROWS
    for other in (table, table.to_batches()[0], pa.RecordBatchReader.from_stream(trace)):
        assert list(api.Trace.from_arrow(other)) == ROWS
    pandas = pytest.importorskip("pandas")
    assert list(api.Trace.from_arrow(table.to_pandas())) == ROWS
    assert list(api.Trace.from_arrow(pandas.DataFrame(frame()))) == ROWS
    polars = pytest.importorskip("polars")
    assert list(api.Trace.from_arrow(polars.from_arrow(table))) == ROWS
    assert list(api.Trace.from_arrow(polars.DataFrame(trace))) == ROWS


def test_columns_of_a_frame_may_have_other_units():
    found = api.Trace.from_arrow(
        {"time_us": [5, 7], "op": ["W", "R"], "sector": [8, 0], "sectors": [16, 1], "x": [1, 2]}
    )
    assert [(row["at_ns"], row["offset_bytes"], row["length_bytes"]) for row in found] == [
        (0, 4096, 8192),
        (2000, 0, 512),
    ]
    with pytest.raises(ConfigurationError, match="no column 'offset_bytes'"):
        api.Trace.from_arrow({"op": ["W"], "bytes": [1]})
    with pytest.raises(ConfigurationError, match="int is no frame"):
        api.Trace.from_arrow(7)
    with pytest.raises(TraceError, match="operation"):
        len(api.Trace.from_arrow({**frame(), "operation": ["write", "wirte", "read", "read"]}))


def test_own_columns_on_the_command_line(rewear, tmp_path: Path):
    (tmp_path / "own.txt").write_text("t lba n op\n100 8 16 W\n102 0 1 R\n105 16 8 W\n")
    said = rewear("trace", "info", "own.txt:columns=time_us+sector+sectors+op", "--json").document()
    assert (said["write"]["requests"], said["read"]["requests"]) == (2, 1)
    many = "".join(f"{n * 5000} {n % 64 * 8} {8 << n % 2} {'RW'[n % 2]}\n" for n in range(100))
    (tmp_path / "own.txt").write_text(many)
    message = rewear("trace", "info", "own.txt").refused()
    argument = message.split("in this: ")[1].split()[0]
    assert rewear("trace", "info", argument, "--json").document()["write"]["requests"] == 50
    assert "no length" in rewear("trace", "info", "own.txt:columns=time+op+sector").refused()
    assert "goes with columns" in rewear("trace", "info", "own.txt:separator=tab").refused()


def test_other_endings_are_refused(rewear, tmp_path: Path):
    (tmp_path / "small.csv").write_text("0,write,0,4096\n")
    assert "Name it *.rwt (compact), *.csv" in rewear("trace", "convert", "small.csv", "out.txt").refused()
    assert rewear("trace", "convert", "small.csv", "out.parquet").returncode == 0
    assert rewear("trace", "info", "out.parquet", "--json").document()["write"]["requests"] == 1
