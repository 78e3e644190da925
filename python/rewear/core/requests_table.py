"""Requests as Arrow tables: out of traces, and from frames that others made."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.csv

from rewear import _core
from rewear.core.errors import ConfigurationError, near

OPERATIONS: Final = ("read", "write", "overwrite", "trim", "flush", "update-handle")
SCHEMA: Final = pa.schema(
    [
        pa.field("at_ns", pa.uint64()),
        pa.field("operation", pa.dictionary(pa.uint8(), pa.string())),
        pa.field("offset_bytes", pa.uint64()),
        pa.field("length_bytes", pa.uint64()),
        pa.field("volume", pa.string()),
        pa.field("stream", pa.uint8()),
    ]
)
"""Columns of a trace; times count from the first request, and the volume is empty where there is only one."""

_COLUMNS: Final = {
    "time": ("at_ns", "time_ns", "time"), "time_us": ("time_us",), "time_ms": ("time_ms",), "time_s": ("time_s",),
    "op": ("operation", "op"), "offset": ("offset_bytes", "offset"), "sector": ("sector",),
    "bytes": ("length_bytes", "length", "bytes", "size"), "sectors": ("sectors",), "volume": ("volume", "device"),
    "stream": ("stream",),
}  # fmt: skip
"""Columns of the trace format `columns`, and the names that they may have in a frame."""


def column(data: bytes, kind: pa.DataType, count: int) -> pa.Array:
    """A column of little-endian numbers."""
    return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(data)])


def operations(data: bytes) -> pa.DictionaryArray:
    """The column of operations, of a byte each."""
    return pa.DictionaryArray.from_arrays(column(data, pa.uint8(), len(data)), pa.array(OPERATIONS))


def batches(trace: Any) -> Iterator[pa.RecordBatch]:
    """The requests of the extension's trace, batch by batch."""
    rows: _core.Rows = trace.rows()
    while (found := rows.next()) is not None:
        (at, operation, offset, length, volume, stream), names = found
        count = len(operation)
        volumes = pa.array(names or [""]).take(column(volume, pa.uint16(), count))
        words = [column(data, pa.uint64(), count) for data in (at, offset, length)]
        columns = [words[0], operations(operation), words[1], words[2], volumes, column(stream, pa.uint8(), count)]
        yield pa.record_batch(columns, schema=SCHEMA)


def reader(trace: Any) -> pa.RecordBatchReader:
    """The requests as a stream of Arrow batches."""
    return pa.RecordBatchReader.from_batches(SCHEMA, batches(trace))


def csv_of(frame: Any, path: str | os.PathLike[str]) -> str:
    """Writes the requests of a frame as csv; the description of its columns for the trace format `columns`.

    Raises:
        ConfigurationError: `frame` is no table, or lacks a column.
    """
    source = _reader(frame)
    known = {name: column for column, names in _COLUMNS.items() for name in names}
    taken = [name for name in source.schema.names if name in known]
    has = {known[name].partition("_")[0] for name in taken}
    for needed, example in (("op", "operation"), ("offset", "offset_bytes"), ("bytes", "length_bytes")):
        if needed not in has and not (needed != "op" and {"offset": "sector", "bytes": "sectors"}[needed] in has):
            names = ", ".join(source.schema.names)
            raise ConfigurationError(
                f"The frame has no column {example!r}.{near(example, source.schema.names)} It has: {names}. "
                "Name columns at_ns, operation, offset_bytes and length_bytes."
            )
    with pyarrow.csv.CSVWriter(path, pa.schema([_plain(source.schema.field(name)) for name in taken])) as writer:
        for batch in source:
            columns = [batch.column(name) for name in taken]
            fields = [_plain(source.schema.field(name)) for name in taken]
            writer.write_batch(
                pa.record_batch(
                    [_as(column, field.type) for column, field in zip(columns, fields, strict=True)],
                    schema=pa.schema(fields),
                )
            )
    return "+".join(known[name] for name in taken)


def _plain(field: pa.Field) -> pa.Field:
    """A column as csv has it: words of any kind are plain words."""
    kind = field.type
    if pa.types.is_dictionary(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        kind = pa.string()
    elif pa.types.is_boolean(kind) or pa.types.is_nested(kind):
        raise ConfigurationError(f"The column {field.name!r} is {kind}, no number and no word. Convert it.")
    return pa.field(field.name, kind)


def _as(column: pa.Array, kind: pa.DataType) -> pa.Array:
    if isinstance(column, pa.DictionaryArray):
        column = pa.DictionaryArray.from_arrays(column.indices, column.dictionary.cast(kind))
    return column.cast(kind)


def _reader(frame: Any) -> pa.RecordBatchReader:
    if hasattr(frame, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(frame)
    if isinstance(frame, pa.RecordBatch):
        return pa.RecordBatchReader.from_batches(frame.schema, [frame])
    try:
        table = pa.Table.from_pandas(frame, preserve_index=False) if hasattr(frame, "iloc") else pa.table(frame)
    except (TypeError, ValueError, pa.ArrowException):
        raise ConfigurationError(
            f"{type(frame).__name__} is no frame. Give one of pandas, polars, duckdb or pyarrow, or a dictionary of "
            "columns."
        ) from None
    return table.to_reader()


def write_csv(found: Iterable[pa.RecordBatch], file: Any) -> int:
    """Writes Rewear's csv; the number of requests."""
    count = 0
    names = ["time_ns", "operation", "offset_bytes", "length_bytes", "stream", "volume"]
    kinds = [pa.uint64(), pa.string(), pa.uint64(), pa.uint64(), pa.uint8(), pa.string()]
    schema = pa.schema([pa.field(name, kind) for name, kind in zip(names, kinds, strict=True)])
    options = pyarrow.csv.WriteOptions(quoting_style="none", include_header=False)
    file.write((",".join(names) + "\n").encode())
    with pyarrow.csv.CSVWriter(file, schema, write_options=options) as writer:
        for batch in found:
            columns = [batch.column(each) for each in (0, 1, 2, 3, 5, 4)]
            plain = [column.cast(kind) for column, kind in zip(columns, kinds, strict=True)]
            writer.write_batch(pa.record_batch(plain, schema=schema))
            count += batch.num_rows
    return count


_FIO = {"read": "read", "write": "write", "overwrite": "write", "trim": "trim", "flush": "datasync"}


def write_iolog(found: Iterable[pa.RecordBatch], file: Any, name: str) -> tuple[int, int]:
    """Writes fio's iolog of version 3; the number of requests, and of those that fio has no word for."""
    file.write(b"fio version 3 iolog\n")
    seen: set[str] = set()
    count = left_out = 0
    for batch in found:
        lines = []
        for at, operation, offset, length, volume in zip(*(batch.column(n).to_pylist() for n in range(5)), strict=True):
            action = _FIO.get(operation)
            disk = (volume or name).replace(" ", "_")
            if action is None:
                left_out += 1
                continue
            if disk not in seen:
                seen.add(disk)
                lines += [f"0 {disk} add\n", f"0 {disk} open\n"]
            lines.append(f"{at // 1000} {disk} {action} {offset} {length}\n")
            count += 1
        file.write("".join(lines).encode())
    return count, left_out


def write_parquet(found: Iterable[pa.RecordBatch], file: Any) -> int:
    """Writes Parquet; the number of requests."""
    import pyarrow.parquet as pq

    count = 0
    with pq.ParquetWriter(file, SCHEMA, compression="zstd") as writer:
        for batch in found:
            writer.write_batch(batch)
            count += batch.num_rows
    return count


def name_of(path: Path) -> str:
    """The file that an iolog names where the trace has no volumes."""
    return f"/dev/{path.name.partition('.')[0] or 'disk'}"
