"""A Parquet file with a row for every request of a replay."""

import os
from contextlib import AbstractContextManager, ExitStack
from types import TracebackType

import pyarrow as pa
import pyarrow.parquet as pq

from rewear.files import replacing

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


class RequestLog(AbstractContextManager["RequestLog"]):
    """Columns `at_ns` (arrival), `operation`, `offset_bytes`, `length_bytes`, `response_ns`, in the order of service.

    A replay that fails leaves nothing behind.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Opens the file.

        Raises:
            RewearError: It cannot be written.
        """
        with ExitStack() as stack:
            file = stack.enter_context(replacing(path))
            self._writer = stack.enter_context(pq.ParquetWriter(file, _SCHEMA, compression="zstd"))
            self._files = stack.pop_all()

    def __call__(self, at: bytes, operation: bytes, offset: bytes, length: bytes, response: bytes) -> None:
        """Appends rows; the arguments are columns as bytes of little-endian arrays."""
        rows = len(operation)

        def column(data: bytes, kind: pa.DataType) -> pa.Array:
            return pa.Array.from_buffers(kind, rows, [None, pa.py_buffer(data)])

        operations = pa.DictionaryArray.from_arrays(column(operation, pa.uint8()), pa.array(_OPERATIONS))
        words = [column(data, pa.uint64()) for data in (at, offset, length, response)]
        self._writer.write_table(pa.table([words[0], operations, *words[1:]], schema=_SCHEMA))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Completes the file, or removes what there is of it if the replay failed."""
        self._files.__exit__(kind, error, trace)
