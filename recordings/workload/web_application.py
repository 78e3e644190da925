#!/usr/bin/env python3
"""The application behind nginx: shows the files of a release, takes works that are handed in, keeps sessions in SQLite.

usage: web_application.py SITE UPLOADS SESSIONS
"""

import http.server
import os
import pathlib
import sqlite3
import sys

PORT = 8599


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site = uploads = sessions = pathlib.Path()

    def log_message(self, *_words: object) -> None:
        """nginx writes the log."""

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        path = self.site / self.path.lstrip("/").split("?")[0]
        found = path.is_file() and ".." not in path.parts
        self.answer(200 if found else 404, path.read_bytes() if found else b"not found\n")

    def do_PUT(self) -> None:
        """A work is handed in: written beside the one before, made durable, renamed over it; the session notes it."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        name = self.path.rsplit("/", 1)[-1]
        part = self.uploads / f".{name}.part"
        with part.open("wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        part.rename(self.uploads / name)
        with sqlite3.connect(self.sessions, timeout=30) as db:
            db.execute("CREATE TABLE IF NOT EXISTS session(name TEXT PRIMARY KEY, works INTEGER, bytes INTEGER)")
            db.execute(
                "INSERT INTO session VALUES(?,1,?) ON CONFLICT(name) DO UPDATE SET works = works + 1, bytes = excluded.bytes",
                (name, len(body)),
            )
        db.close()
        self.answer(201, b"thank you\n")


def main() -> None:
    Handler.site, Handler.uploads, Handler.sessions = map(pathlib.Path, sys.argv[1:4])
    http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()


if __name__ == "__main__":
    main()
