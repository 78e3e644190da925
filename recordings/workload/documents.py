#!/usr/bin/env python3
"""Documents of an office: saved as LibreOffice and editors save them, and a log that a service appends to.

A save writes a new zip beside the old one, makes it durable and renames it over the old one. Log lines are appended and
made durable one group at a time. Seeded; only the times differ between runs.
"""

import argparse
import os
import pathlib
import random
import time
import zipfile


def make_durable(path: pathlib.Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def save(path: pathlib.Path, rng: random.Random, pictures_bytes: int) -> None:
    """Writes a document of text (which compresses) and pictures (which do not) over `path`."""
    part = path.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as document:
        words = " ".join(str(rng.randrange(10_000)) for _ in range(rng.randrange(5_000, 40_000)))
        document.writestr("content.xml", words)
        add_pictures(document, rng, pictures_bytes)
    replace(part, path)


def save_edited(path: pathlib.Path, rng: random.Random) -> None:
    """The same for a document that is edited: its pictures stay as they are and come first, as office programs write them; a few
    words of its text change."""
    own = random.Random(path.name)
    part = path.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as document:
        add_pictures(document, own, picture_bytes(own))
        words = [str(own.randrange(10_000)) for _ in range(own.randrange(5_000, 40_000))]
        for _ in range(20):
            words[rng.randrange(len(words))] = str(rng.randrange(10_000))
        document.writestr(zipfile.ZipInfo("content.xml"), " ".join(words), zipfile.ZIP_DEFLATED)
    replace(part, path)


def add_pictures(document: zipfile.ZipFile, rng: random.Random, pictures_bytes: int) -> None:
    left, number = pictures_bytes, 0
    while left > 0:
        size = min(left, rng.randrange(50_000, 900_000))
        # The date of a picture is its own, not that of the save.
        document.writestr(zipfile.ZipInfo(f"Pictures/{number}.jpg"), rng.randbytes(size), zipfile.ZIP_STORED)
        left, number = left - size, number + 1


def replace(part: pathlib.Path, path: pathlib.Path) -> None:
    make_durable(part)
    part.rename(path)
    make_durable(path.parent)


def open_document(path: pathlib.Path) -> None:
    with zipfile.ZipFile(path) as document:
        for name in document.namelist():
            document.read(name)


def append_log(path: pathlib.Path, rng: random.Random) -> None:
    with path.open("a") as log:
        for _ in range(rng.randrange(1, 30)):
            log.write(f"service[{rng.randrange(4000)}]: request {rng.randrange(1 << 32):x} took {rng.randrange(900)} ms\n")
        log.flush()
        os.fsync(log.fileno())


def picture_bytes(rng: random.Random) -> int:
    # Mostly letters and sheets, some presentations: log-normal around 300 kB, cut at 6 MB.
    return min(int(rng.lognormvariate(12.6, 1.2)), 6_000_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--create", type=int, default=0, help="documents to create first")
    parser.add_argument("--saves", type=int, default=0)
    parser.add_argument("--edit", action="store_true", help="saves change a few words; otherwise they replace everything")
    parser.add_argument("--pause-s", type=float, default=0.0, help="mean pause between saves")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    args.folder.mkdir(parents=True, exist_ok=True)
    for number in range(args.create):
        document = args.folder / f"{number:04}.odt"
        save_edited(document, rng) if args.edit else save(document, rng, picture_bytes(rng))
    documents = sorted(args.folder.glob("*.odt"))
    for _ in range(args.saves):
        # Few documents are worked on at a time: the choice is skewed to the first ones.
        document = documents[int(len(documents) * rng.random() ** 2)]
        open_document(document)
        save_edited(document, rng) if args.edit else save(document, rng, picture_bytes(rng))
        append_log(args.folder / "service.log", rng)
        if args.pause_s > 0:
            time.sleep(rng.expovariate(1 / args.pause_s))


if __name__ == "__main__":
    main()
