"""A Parquet file with a row for every request of a replay."""

import os
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType

import pyarrow as pa
import pyarrow.parquet as pq

from rewear.errors import RewearError

__all__ = ["RequestLog"]

_OPERATIONS = ("read", "write", "overwrite", "trim", "flush")
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

    Written beside its path and moved there at the end, so that a replay that fails leaves nothing behind.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Opens the file.

        Raises:
            RewearError: It cannot be written.
        """
        self._path = Path(path)
        self._partial = self._path.with_name(self._path.name + ".partial")
        try:
            self._writer = pq.ParquetWriter(self._partial, _SCHEMA, compression="zstd")
        except OSError as error:
            raise RewearError(f"{path} cannot be written: {error.strerror or error}. Name another file.") from None

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
        self._writer.close()
        if kind is None:
            self._partial.replace(self._path)
        else:
            self._partial.unlink(missing_ok=True)
