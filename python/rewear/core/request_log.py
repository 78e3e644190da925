"""A Parquet file with a row for every request of a replay."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq

from rewear.core.files import refuse_name_of_text, replacing

_OPERATIONS = ("read", "write", "overwrite", "trim", "flush", "update-handle")
_SCHEMA = pa.schema(
    [
        pa.field("at_ns", pa.uint64()),
        pa.field("operation", pa.dictionary(pa.uint8(), pa.string())),
        pa.field("offset_bytes", pa.uint64()),
        pa.field("length_bytes", pa.uint64()),
        pa.field("response_ns", pa.uint64()),
    ]
)


@contextmanager
def request_log(path: str | os.PathLike[str]) -> Iterator[Callable[[bytes, bytes, bytes, bytes, bytes], None]]:
    """Opens the file, and gives what appends rows: columns as bytes of little-endian arrays.

    They are `at_ns` (arrival), `operation`, `offset_bytes`, `length_bytes`, `response_ns`, in the order of service. A
    replay that fails leaves nothing behind.

    Raises:
        ConfigurationError: Its name promises another format.
        RewearError: It cannot be written.
    """
    refuse_name_of_text(path, "Parquet", ".parquet")
    with replacing(path) as file, pq.ParquetWriter(file, _SCHEMA, compression="zstd") as writer:

        def append(at: bytes, operation: bytes, offset: bytes, length: bytes, response: bytes) -> None:
            def column(data: bytes, kind: pa.DataType) -> pa.Array:
                return pa.Array.from_buffers(kind, len(operation), [None, pa.py_buffer(data)])

            operations = pa.DictionaryArray.from_arrays(column(operation, pa.uint8()), pa.array(_OPERATIONS))
            words = [column(data, pa.uint64()) for data in (at, offset, length, response)]
            writer.write_table(pa.table([words[0], operations, *words[1:]], schema=_SCHEMA))

        yield append
