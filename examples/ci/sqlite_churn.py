"""A small benchmark of SQLite for `rewear ci`: a table of fixed size whose oldest rows make room for new ones.

    sudo rewear ci -- python examples/ci/sqlite_churn.py --keys random

Keys are random (as UUIDs of version 4) or grow with time (as those of version 7). The work is the same in both cases:
so many rows inserted and deleted. It runs in the folder in which it is started.
"""

import argparse
import random
import sqlite3
from collections import deque


def main() -> None:
    """Fills the table, then replaces rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", choices=("random", "ordered"), default="random")
    parser.add_argument("--journal", choices=("wal", "delete"), default="wal")
    parser.add_argument("--rows", type=int, default=80_000, help="rows that the table keeps")
    parser.add_argument("--batches", type=int, default=100, help="transactions, each of 100 new rows")
    parser.add_argument("--seed", type=int, help="of keys and contents; another one in each run unless given")
    given = parser.parse_args()
    draw = random.Random(given.seed)

    def key(number: int) -> bytes:
        return number.to_bytes(8, "big") + draw.randbytes(8) if given.keys == "ordered" else draw.randbytes(16)

    database = sqlite3.connect("churn.sqlite")
    database.execute(f"PRAGMA journal_mode = {given.journal}")
    database.execute("CREATE TABLE event (id BLOB PRIMARY KEY, payload BLOB) WITHOUT ROWID")
    keys: deque[bytes] = deque()

    def insert(count: int, first: int) -> None:
        rows = [(key(first + turn), draw.randbytes(200)) for turn in range(count)]
        database.executemany("INSERT INTO event VALUES (?, ?)", rows)
        keys.extend(row[0] for row in rows)

    insert(given.rows, 0)
    database.commit()
    for batch in range(given.batches):
        database.executemany("DELETE FROM event WHERE id = ?", [(keys.popleft(),) for _ in range(100)])
        insert(100, given.rows + 100 * batch)
        database.commit()
    database.close()


if __name__ == "__main__":
    main()
