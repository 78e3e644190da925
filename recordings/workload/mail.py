#!/usr/bin/env python3
"""A mail server: messages are delivered into maildirs and made durable, readers flag, file and delete them.

What arrives is what arrives: personal letters, posts to lists (one message in many maildirs), newsletters and junk that come
again and again, attachments. A draft is saved anew every few seconds, with its attachments, and the save before it is
deleted, as webmail does. Texts and attachments are files of a repository. Every maildir has an index in SQLite, kept up to
date as an IMAP server keeps its own. Seeded; only the times differ between runs.
"""

import argparse
import concurrent.futures
import email.message
import mailbox
import os
import pathlib
import random
import sqlite3
import time

USERS = 40
LISTS = 6
# Addresses are of one length, so that the copies of a list's post differ in their headers but not in the places of its text.
ADDRESS = "user{:02}@example.org"


class Server:
    """The maildirs of all users."""

    def __init__(self, folder: pathlib.Path, texts: list[pathlib.Path]) -> None:
        self.folder, self.texts = folder, texts
        # The same lists, newsletters, junk and often sent attachments in every run.
        fixed = random.Random(7)
        self.lists = [fixed.sample(range(USERS), fixed.randrange(6, 25)) for _ in range(LISTS)]
        self.junk = [self.write(fixed, 4, 0.3) for _ in range(30)]
        self.newsletters = [self.write(fixed, 8, 0.5) for _ in range(12)]
        self.files = fixed.sample(texts, 40)

    def open(self, user: int, box: str = "") -> mailbox.Maildir:
        inbox = mailbox.Maildir(self.folder / f"user{user:02}", factory=None, create=True)
        return inbox.add_folder(box) if box else inbox

    def write(self, rng: random.Random, excerpts: int, attach: float) -> email.message.EmailMessage:
        """A message of a few excerpts of text, perhaps with an attachment."""
        message = email.message.EmailMessage()
        parts = []
        for _ in range(rng.randrange(1, excerpts + 1)):
            text = rng.choice(self.texts).read_text(encoding="utf-8", errors="replace")
            start = rng.randrange(max(len(text) - 200, 1))
            parts.append(text[start : start + rng.randrange(200, 6000)])
        message["Subject"] = " ".join(parts[0].split()[:6])[:60] or "(none)"
        message["Message-ID"] = f"<{rng.getrandbits(64):016x}@example.org>"
        message["From"] = ADDRESS.format(rng.randrange(USERS))
        message.set_content("\n".join(parts))
        if rng.random() < attach:
            self.attach(message, rng)
        return message

    def attach(self, message: email.message.EmailMessage, rng: random.Random) -> None:
        # Few files are sent often, most once.
        pool = getattr(self, "files", self.texts)
        path = pool[int(len(pool) * rng.random() ** 2)] if rng.random() < 0.5 else rng.choice(self.texts)
        message.add_attachment(path.read_bytes(), maintype="application", subtype="octet-stream", filename=path.name)

    def deliver(self, user: int, message: email.message.EmailMessage, box: str = "") -> str:
        """One copy, with the line that delivery puts in front, made durable before it is acknowledged (mailbox.add syncs the file)."""
        stamped = f"Delivered-To: {ADDRESS.format(user)}\n".encode() + message.as_bytes()
        maildir = self.open(user, box)
        key = maildir.add(stamped)
        self.sync(user)
        self.index(user, "INSERT OR REPLACE INTO message VALUES(?,?,?,?)", (key, box, str(message["Subject"]), len(stamped)))
        return key

    def sync(self, user: int) -> None:
        descriptor = os.open(self.folder / f"user{user:02}" / "new", os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)

    def index(self, user: int, statement: str, values: tuple[object, ...]) -> None:
        with sqlite3.connect(self.folder / f"user{user:02}" / "index.db") as db:
            db.execute("CREATE TABLE IF NOT EXISTS message(key TEXT PRIMARY KEY, box TEXT, subject TEXT, bytes INTEGER)")
            db.execute(statement, values)
        db.close()


def arrive(server: Server, rng: random.Random) -> None:
    """One arrival, at one or many maildirs."""
    kind = rng.choices(["letter", "list", "newsletter", "junk"], [45, 15, 10, 30])[0]
    if kind == "letter":
        server.deliver(rng.randrange(USERS), server.write(rng, 4, 0.15))
    elif kind == "list":
        post = server.write(rng, 3, 0.1)
        for user in rng.choice(server.lists):
            server.deliver(user, post)
    elif kind == "newsletter":
        for user in rng.sample(range(USERS), 4):
            server.deliver(user, server.newsletters[int(12 * rng.random() ** 2)])
    else:
        for user in rng.sample(range(USERS), 2):
            server.deliver(user, server.junk[int(30 * rng.random() ** 2)], "Junk")


def look(server: Server, rng: random.Random) -> None:
    """A reader opens the mail box, reads some, files or deletes some, and empties the junk now and then."""
    user = rng.randrange(USERS)
    inbox = server.open(user)
    for key in sorted(inbox.keys())[-30:]:
        choice = rng.random()
        if choice < 0.4:
            continue
        message = inbox.get_message(key)
        if choice < 0.75:
            message.set_subdir("cur")
            message.add_flag("S")
            inbox[key] = message
        elif choice < 0.85:
            server.open(user, "Archive").add(message)
            inbox.discard(key)
        else:
            inbox.discard(key)
            server.index(user, "DELETE FROM message WHERE key = ?", (key,))
    if rng.random() < 0.4:
        junk = server.open(user, "Junk")
        for key in junk.keys():
            junk.discard(key)


def draft(server: Server, rng: random.Random) -> None:
    """A message that is saved several times while it is written, and then sent."""
    user = rng.randrange(USERS)
    drafts = server.open(user, "Drafts")
    message = email.message.EmailMessage()
    message["Subject"] = "draft"
    text = " ".join(rng.choice(server.texts).read_text(encoding="utf-8", errors="replace").split())
    files = [(path.name, path.read_bytes()) for path in rng.sample(server.files, rng.choice([0, 1, 1, 2]))]
    last = None
    for saved in range(rng.randrange(2, 12)):
        message.set_content(text[: 400 * (saved + 1)])
        for name, data in files:
            message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
        key = drafts.add(message.as_bytes())
        if last is not None:
            drafts.discard(last)
        last = key
        message.clear_content()
    drafts.discard(last)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--texts", type=pathlib.Path, required=True, help="a folder of files to take texts and attachments from")
    parser.add_argument("--deliveries", type=int, default=0)
    parser.add_argument("--readings", type=int, default=0)
    parser.add_argument("--drafts", type=int, default=0)
    parser.add_argument("--pause-s", type=float, default=0.0, help="mean pause between the deeds of one worker")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    texts = sorted(path for path in args.texts.glob("**/*.py") if 2_000 < path.stat().st_size < 400_000)
    server = Server(args.folder, texts)
    args.folder.mkdir(parents=True, exist_ok=True)
    for user in range(USERS):
        server.open(user)

    def work(deed, count: int, seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(count):
            deed(server, rng)
            if args.pause_s > 0:
                time.sleep(rng.expovariate(1 / args.pause_s))

    # Delivery, readers and writers are threads, as connections of a server are.
    with concurrent.futures.ThreadPoolExecutor() as pool:
        deeds = [(arrive, args.deliveries), (look, args.readings), (draft, args.drafts)]
        jobs = [pool.submit(work, deed, count, args.seed + index) for index, (deed, count) in enumerate(deeds)]
    for job in jobs:
        job.result()


if __name__ == "__main__":
    main()
