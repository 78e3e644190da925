"""A file with a row for every request of a replay: Parquet, or csv by its ending."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from rewear.core.errors import ConfigurationError
from rewear.core.files import replacing
from rewear.core.printable import printable
from rewear.core.requests_table import SCHEMA, column, operations

_SCHEMA = pa.schema([*map(SCHEMA.field, range(4)), pa.field("response_ns", pa.uint64())])


@contextmanager
def request_log(path: str | os.PathLike[str]) -> Iterator[Callable[[bytes, bytes, bytes, bytes, bytes], None]]:
    """Opens the file, and gives what appends rows: columns as bytes of little-endian arrays.

    They are `at_ns` (arrival), `operation`, `offset_bytes`, `length_bytes`, `response_ns`, in the order of service. A
    replay that fails leaves nothing behind.

    Raises:
        ConfigurationError: It ends neither in `.parquet` nor in `.csv`; without an ending it is Parquet.
        RewearError: It cannot be written.
    """
    ending = Path(path).suffix.lower() or ".parquet"
    if ending not in (".parquet", ".csv"):
        name = printable(os.fspath(path))
        raise ConfigurationError(f"{name} ends in {ending}. Name the log *.parquet or *.csv.")
    with replacing(path) as file, _writer(ending, file) as writer:

        def append(at: bytes, operation: bytes, offset: bytes, length: bytes, response: bytes) -> None:
            words = [column(data, pa.uint64(), len(operation)) for data in (at, offset, length, response)]
            named = operations(operation) if ending == ".parquet" else operations(operation).cast(pa.string())
            writer.write_table(pa.table([words[0], named, *words[1:]], schema=_schema(ending)))

        yield append


def _schema(ending: str) -> pa.Schema:
    """Csv has words in place of a dictionary's numbers."""
    return _SCHEMA if ending == ".parquet" else _SCHEMA.set(1, pa.field("operation", pa.string()))


def _writer(ending: str, file: Any) -> "pq.ParquetWriter | pyarrow.csv.CSVWriter":
    if ending == ".parquet":
        return pq.ParquetWriter(file, _SCHEMA, compression="zstd")
    return pyarrow.csv.CSVWriter(file, _schema(ending))
