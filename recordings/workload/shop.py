#!/usr/bin/env python3
"""A shop's database: SQLite under small transactions, in WAL or rollback-journal mode.

Every transaction is made durable before the next (synchronous=FULL), as an application does that must not lose an order.
Queries read in between. Seeded, so that every run makes the same statements; only the times differ.
"""

import argparse
import pathlib
import random
import sqlite3
import time

SCHEMA = """
CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, stock INTEGER, price INTEGER, description TEXT);
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, balance INTEGER, note TEXT);
CREATE TABLE purchase(id INTEGER PRIMARY KEY, customer INTEGER, placed INTEGER, state TEXT);
CREATE TABLE line(purchase INTEGER, item INTEGER, amount INTEGER, price INTEGER);
CREATE TABLE picture(item INTEGER PRIMARY KEY, bytes BLOB);
CREATE INDEX purchase_customer ON purchase(customer, placed);
CREATE INDEX line_purchase ON line(purchase);
CREATE INDEX line_item ON line(item);
CREATE INDEX item_name ON item(name);
"""
WORDS = "amber birch cedar delta ember fjord grove harbor iris juniper kestrel linen maple nectar ochre pebble".split()


def text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(words))


def connect(path: pathlib.Path, journal: str) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, timeout=60)
    db.execute(f"PRAGMA journal_mode={journal}")
    db.execute("PRAGMA synchronous=FULL")
    return db


def load(db: sqlite3.Connection, rng: random.Random, items: int) -> None:
    """Imports `items` items and half as many customers, a few thousand rows a transaction."""
    db.executescript(SCHEMA)
    for start in range(0, items, 4000):
        ids = range(start, min(start + 4000, items))
        db.execute("BEGIN")
        db.executemany(
            "INSERT INTO item VALUES(?,?,?,?,?)",
            [(i, text(rng, 3), rng.randrange(1000), rng.randrange(1, 9000), text(rng, rng.randrange(20, 80))) for i in ids],
        )
        db.executemany(
            "INSERT INTO customer VALUES(?,?,?,?)",
            [(i // 2, text(rng, 2), 0, text(rng, rng.randrange(5, 30))) for i in ids if i % 2 == 0],
        )
        db.execute("COMMIT")


def place_order(db: sqlite3.Connection, rng: random.Random, items: int) -> None:
    # Demand is skewed, as in a shop: most orders go to few items.
    cursor = db.execute(
        "INSERT INTO purchase(customer, placed, state) VALUES(?,?,'open')",
        (rng.randrange(items // 2), rng.randrange(1 << 30)),
    )
    total = 0
    for _ in range(rng.randrange(1, 9)):
        item = min(int(rng.paretovariate(0.25)) - 1, items - 1) * 7919 % items
        amount, price = rng.randrange(1, 5), rng.randrange(1, 9000)
        total += amount * price
        db.execute("INSERT INTO line VALUES(?,?,?,?)", (cursor.lastrowid, item, amount, price))
        db.execute("UPDATE item SET stock = stock - ? WHERE id = ?", (amount, item))
    db.execute("UPDATE customer SET balance = balance + ? WHERE id = ?", (total, rng.randrange(items // 2)))


def reprice(db: sqlite3.Connection, rng: random.Random, items: int) -> None:
    for _ in range(24):
        db.execute(
            "UPDATE item SET price = ?, description = ? WHERE id = ?",
            (rng.randrange(1, 9000), text(rng, rng.randrange(20, 80)), rng.randrange(items)),
        )


def replace_picture(db: sqlite3.Connection, rng: random.Random, items: int) -> None:
    picture = rng.randbytes(rng.randrange(8_000, 90_000))
    db.execute("INSERT OR REPLACE INTO picture VALUES(?,?)", (rng.randrange(min(items, 400)), picture))


def ship(db: sqlite3.Connection, rng: random.Random, items: int) -> None:
    oldest = [row[0] for row in db.execute("SELECT id FROM purchase WHERE state = 'open' ORDER BY id LIMIT 20")]
    db.executemany("UPDATE purchase SET state = 'sent' WHERE id = ?", [(i,) for i in oldest])
    gone = [row[0] for row in db.execute("SELECT id FROM purchase WHERE state = 'sent' ORDER BY id LIMIT 10")]
    db.executemany("DELETE FROM line WHERE purchase = ?", [(i,) for i in gone])
    db.executemany("DELETE FROM purchase WHERE id = ?", [(i,) for i in gone])


def browse(db: sqlite3.Connection, rng: random.Random, items: int) -> None:
    start = rng.randrange(items)
    db.execute("SELECT * FROM item WHERE id BETWEEN ? AND ?", (start, start + 20)).fetchall()
    db.execute("SELECT * FROM customer WHERE id = ?", (rng.randrange(items // 2),)).fetchall()
    db.execute("SELECT item.name, amount FROM line JOIN item ON item.id = line.item WHERE purchase = ?", (start,)).fetchall()


TRANSACTIONS = [(place_order, 50), (reprice, 20), (replace_picture, 8), (ship, 7), (browse, 15)]


def trade(db: sqlite3.Connection, rng: random.Random, items: int, transactions: int, pause_s: float) -> None:
    """Runs `transactions` transactions with a mean pause of `pause_s` seconds (exponential) between them."""
    kinds, weights = zip(*TRANSACTIONS)
    for kind in rng.choices(kinds, weights, k=transactions):
        db.execute("BEGIN" if kind is browse else "BEGIN IMMEDIATE")
        kind(db, rng, items)
        db.execute("COMMIT")
        if pause_s > 0:
            time.sleep(rng.expovariate(1 / pause_s))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("database", type=pathlib.Path)
    parser.add_argument("--journal", choices=["wal", "delete"], default="wal")
    parser.add_argument("--items", type=int, default=100_000, help="items imported when the database is new")
    parser.add_argument("--transactions", type=int, default=0)
    parser.add_argument("--pause-s", type=float, default=0.0, help="mean pause between transactions")
    parser.add_argument("--vacuum", action="store_true", help="rewrite the whole database at the end")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    new = not args.database.exists()
    rng = random.Random(args.seed)
    db = connect(args.database, args.journal)
    if new:
        load(db, rng, args.items)
    trade(db, rng, args.items, args.transactions, args.pause_s)
    if args.vacuum:
        db.execute("VACUUM")
    db.close()


if __name__ == "__main__":
    main()
