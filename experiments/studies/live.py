"""Measurements of the live drive: fio with verification over the schemes, speed beside nbdkit's memory plugin.

    python experiments/studies/live.py verify --gib 2     # fio verifies what it wrote, on every scheme
    python experiments/studies/live.py speed --seconds 10 # 4 KiB random writes, each drive beside the memory plugin
    python experiments/studies/live.py crash --kills 50   # servers killed at random; nothing flushed may be lost
    python experiments/studies/live.py hang-ups --rounds 8 --times 2000   # clients that leave with 16 writes in flight
    python experiments/studies/live.py requests --seconds 4   # what serving requests one by one costs
    python experiments/studies/live.py --drives qlc transports --seconds 3   # NBD and NVMe/TCP in turn
    python experiments/studies/live.py --drives qlc,openssd:seal speed   # some drives only

Needs nbdkit, fio (with its nbd engine) and the project built.
"""

import argparse
import json
import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Literal

import rewear
from nvme_client import NvmeHost
from rewear.live.serve import LiveDrive

PRESETS = ("qlc", "qlc-wom-v", "lx-slc-recycle", "differentiated-ecc-mlc", "second-write-toshiba", "openssd:seal")
"""One for each scheme."""

FLASH_BYTES = 400 << 20


def small(preset: str, **more: object) -> rewear.Drive:
    """A preset shrunk to so much flash that minutes of work fill it several times."""
    preset, _, scheme = preset.partition(":")
    if scheme:
        # Records need more room than the board has.
        more |= {"reuse.scheme": scheme, "flash.spare_bytes": 1024}
    flash = rewear.Drive(preset).configuration["flash"]
    planes = flash["channels"] * flash["dies_per_channel"] * flash["planes_per_die"]
    if planes > 64:
        more["flash.channels"], planes = 1, planes // flash["channels"]
    block_bytes = flash["pages_per_block"] * flash["page_bytes"]
    blocks = max(FLASH_BYTES // block_bytes // planes, 16)
    settings = {"flash.blocks_per_plane": blocks, "ftl.over_provisioning": 0.4, **more}
    return rewear.Drive(preset, set=settings)


def fio(uri: str, folder: Path, **options: object) -> dict:
    """One run of fio; its report of the job."""
    out = folder / "fio.json"
    # Fresh data for every write: by default fio writes nearly the same again and again.
    base = {"name": "job", "ioengine": "nbd", "uri": uri, "iodepth": 32, "refill_buffers": 1, "output-format": "json",
            "output": out}  # fmt: skip
    command = ["fio", *(f"--{key}={value}" for key, value in {**base, **options}.items())]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    text = out.read_text() if out.exists() else ""
    if done.returncode != 0 or "{" not in text:
        raise SystemExit(f"fio failed: {done.stderr.strip()} {text[:400]}")
    job = json.loads(text[text.index("{") :])["jobs"][0]
    if job["error"]:
        raise SystemExit(f"fio found error {job['error']}: {done.stderr.strip()}")
    return job


def verify(drives: Sequence[str], gib: float) -> None:
    """Random writes of mixed sizes, every block read back and compared with its checksum, in rounds."""
    for preset in drives:
        drive = small(preset)
        with tempfile.TemporaryDirectory() as name, LiveDrive(drive) as live:
            size = min(drive.exported_bytes >> 20, 1024) * 9 // 10
            written, rounds = 0, 0
            while written < gib * (1 << 30):
                job = fio(live.uri, Path(name), rw="randwrite", bsrange="4k-64k", blockalign="4k", size=f"{size}m",
                          verify="crc32c", verify_fatal=1, do_verify=1, randseed=rounds + 1)  # fmt: skip
                written += job["write"]["io_bytes"]
                rounds += 1
            report = live.stats()
            line = {
                "drive": preset, "rounds": rounds, "written_gib": round(written / (1 << 30), 2),
                "read_gib": round(report["host_bytes_read"] / (1 << 30), 2), "erases": report.erases,
                "requests_failed": report["live"]["requests_failed"],
            }  # fmt: skip
            print(json.dumps(line), flush=True)


def writes_per_second(uri: str, pid: int, folder: Path, seconds: float, size: int) -> tuple[float, float]:
    """4 KiB random writes a second, and microseconds of processor time that the server took for each."""
    before = cpu_seconds(pid)
    job = fio(uri, folder, rw="randwrite", bs="4k", size=size, runtime=seconds, time_based=1, randrepeat=0)
    return float(job["write"]["iops"]), (cpu_seconds(pid) - before) * 1e6 / job["write"]["total_ios"]


def cpu_seconds(pid: int) -> float:
    """Processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Memory:
    """nbdkit's memory plugin."""

    def __init__(self, folder: Path, size: int) -> None:
        """Starts it on a socket in the folder."""
        device = folder / "memory"
        self.uri = f"nbd+unix:///?socket={device}"
        self.process = subprocess.Popen(["nbdkit", "--exit-with-parent", "-U", str(device), "memory", str(size)])
        while not device.exists():
            time.sleep(0.01)

    def __enter__(self) -> "Memory":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.process.terminate()
        self.process.wait()


def speed(drives: Sequence[str], seconds: float, rounds: int) -> None:
    """Each drive, new and then filled, and the memory plugin in turn, several times; medians."""
    for preset in drives:
        drive = small(preset)
        size, runs = drive.exported_bytes, []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                with Memory(folder, size) as memory:
                    base = writes_per_second(memory.uri, memory.process.pid, folder, seconds, size)
                with LiveDrive(drive) as live:
                    new = writes_per_second(live.uri, live.pid, folder, seconds, size)
                    for _ in range(2):
                        fio(live.uri, folder, rw="write", bs="256k", size=size)
                    filled = writes_per_second(live.uri, live.pid, folder, seconds, size)
                    second = live.stats()["second_writes"]
            runs.append((base, new, filled))
        for state, index in (("new", 1), ("filled", 2)):
            line = {
                "drive": preset, "state": state,
                "writes_per_second": round(median(run[index][0] for run in runs)),
                "ratio_to_memory": round(median(run[index][0] / run[0][0] for run in runs), 2),
                "server_cpu_us": round(median(run[index][1] for run in runs), 1),
                "memory_cpu_us": round(median(run[0][1] for run in runs), 1),
            }  # fmt: skip
            print(json.dumps(line), flush=True)
        if second:
            print(
                json.dumps({"drive": preset, "second_writes": second["written"], "failed": second["fallbacks"]}),
                flush=True,
            )


class Client:
    """One connection that writes and flushes, a request at a time."""

    def __init__(self, uri: str) -> None:
        """Connects, in the old way of the handshake that needs no negotiation."""
        self.link = socket.socket(socket.AF_UNIX)
        self.link.connect(uri.split("socket=")[1])
        self._receive(18)
        self.link.sendall(struct.pack(">IQII", 3, 0x49484156454F5054, 1, 0))
        (self.size,) = struct.unpack(">Q", self._receive(10)[:8])

    def _receive(self, count: int) -> bytes:
        got = b""
        while len(got) < count:
            part = self.link.recv(count - len(got))
            if not part:
                raise ConnectionError
            got += part
        return got

    def ask(self, command: int, offset: int = 0, length: int = 0, data: bytes = b"") -> bytes:
        """Sends a request and returns what is read."""
        self.link.sendall(struct.pack(">IHHQQI", 0x25609513, 0, command, 1, offset, length) + data)
        _magic, error, _handle = struct.unpack(">IIQ", self._receive(16))
        if error:
            raise OSError(error, os.strerror(error))
        return self._receive(length) if command == 0 else b""

    def read(self, offset: int, length: int) -> bytes:
        """Bytes of the device."""
        return self.ask(0, offset, length)

    def write(self, offset: int, data: bytes) -> None:
        """Writes bytes."""
        self.ask(1, offset, len(data), data)

    def begin_write(self, identifier: int, offset: int, data: bytes) -> None:
        """Sends a write under a handle, and waits for nothing."""
        self.link.sendall(struct.pack(">IHHQQI", 0x25609513, 0, 1, identifier, offset, len(data)) + data)

    def close(self) -> None:
        """Hangs up."""
        self.link.close()

    def flush(self) -> None:
        """Returns when what was answered is durable."""
        self.ask(3)

    def trim(self, offset: int, length: int) -> None:
        """Forgets bytes."""
        self.ask(4, offset, length)


CLIENTS = {"nbd": Client, "nvme-tcp": NvmeHost}


def crash(drives: Sequence[str], kills: int, seed: int, transport: Literal["nbd", "nvme-tcp"]) -> None:
    """Kills servers of small drives with images at random moments; compares with what was flushed and written since."""
    for preset in drives:
        drive = small(preset)
        page, rng = drive.logical_page_bytes, random.Random(seed)
        lost = flushed_pages = 0
        with tempfile.TemporaryDirectory() as name:
            # Of each page: the contents it may have, the last flushed one first.
            may: dict[int, list[bytes]] = {}
            for _ in range(kills):
                live = LiveDrive(drive, image=Path(name) / "image", transport=transport)
                client = CLIENTS[transport](live.uri)
                pages = client.size // page
                for lpn, contents in may.items():
                    found = client.read(lpn * page, page)
                    flushed_pages += 1
                    if found not in contents:
                        lost += 1
                    may[lpn] = [found]
                timer = threading.Timer(rng.uniform(0.002, 0.4), live._process.kill)
                timer.start()
                try:
                    while True:
                        act = rng.random()
                        lpn = min(int(rng.paretovariate(0.7)), pages) - 1
                        if act < 0.03:
                            client.flush()
                            may = {key: contents[-1:] for key, contents in may.items()}
                        elif act < 0.06:
                            may.setdefault(lpn, [bytes(page)]).append(bytes(page))
                            client.trim(lpn * page, page)
                        else:
                            data = rng.randbytes(16) * (page // 16)
                            may.setdefault(lpn, [bytes(page)]).append(data)
                            client.write(lpn * page, data)
                except (ConnectionError, BrokenPipeError):
                    pass
                timer.join()
                live.kill()
        line = {"drive": preset, "transport": transport, "kills": kills, "pages_compared": flushed_pages, "wrong": lost}
        print(json.dumps(line), flush=True)
        if lost:
            sys.exit(1)


def build_client(package: str, example: str) -> str:
    """Builds a client of the tests' own; its path."""
    command = ["cargo", "build", "--release", "--quiet", "--package", package, "--example", example]
    subprocess.run(command, check=True)
    return f"target/release/examples/{example}"


def client_writes(live: LiveDrive, *command: object) -> tuple[float, float]:
    """What a client of the tests' own prints: writes a second; and the server's microseconds for each."""
    before = cpu_seconds(live.pid)
    said = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout
    done = json.loads(said)
    return done["writes_a_second"], (cpu_seconds(live.pid) - before) * 1e6 / done["writes"]


def transports(drives: Sequence[str], seconds: float, rounds: int, depth: int) -> None:
    """4 KiB random writes to a filled drive through each transport in turn, several times; medians.

    Through NBD the client is fio, through NVMe/TCP a client of the tests' own, which does less.
    """
    sends = build_client("rewear-nvme", "nvme_random_writes")
    for preset in drives:
        drive, runs = small(preset), []
        for _ in range(rounds):
            run = {}
            with tempfile.TemporaryDirectory() as name:
                folder, size = Path(name), drive.exported_bytes
                with LiveDrive(drive) as live:
                    fio(live.uri, folder, rw="write", bs="256k", size=size)
                    before = cpu_seconds(live.pid)
                    job = fio(live.uri, folder, rw="randwrite", bs="4k", size=size, runtime=seconds, time_based=1,
                              randrepeat=0, iodepth=depth)  # fmt: skip
                    took_us = (cpu_seconds(live.pid) - before) * 1e6 / job["write"]["total_ios"]
                    run["nbd"] = (float(job["write"]["iops"]), took_us)
                with LiveDrive(drive, transport="nvme-tcp") as live:
                    address, subsystem, _ = live.uri.removeprefix("nvme+tcp://").split("/")
                    for _state in ("new", "filled"):
                        run["nvme-tcp"] = client_writes(live, sends, address, subsystem, seconds, depth)
            runs.append(run)
        for transport in runs[0]:
            line = {
                "drive": preset, "transport": transport, "depth": depth,
                "writes_a_second": round(median(run[transport][0] for run in runs)),
                "ratio_to_nbd": round(median(run[transport][0] / run["nbd"][0] for run in runs), 2),
                "processor_us": round(median(run[transport][1] for run in runs), 2),
            }  # fmt: skip
            print(json.dumps(line), flush=True)


def hang_ups(
    drives: Sequence[str], rounds: int, times: int, parallel: bool, transport: Literal["nbd", "nvme-tcp"]
) -> None:
    """Clients on four threads that hang up with 16 writes in flight; then everything else is compared."""
    drive = small(drives[0])
    page, survived = 4096, 0
    for number in range(rounds):
        with tempfile.TemporaryDirectory() as name:
            image = Path(name) / "image"
            live = LiveDrive(drive, image=image, parallel_requests=parallel, transport=transport)
            whole = CLIENTS[transport](live.uri)
            half = whole.size // 2 // page * page
            kept = random.Random(number).randbytes(1 << 20)
            for at in range(0, len(kept), 4 * page):
                whole.write(at, kept[at : at + 4 * page])
            whole.flush()
            done = [0] * 4

            def work(index: int, live: LiveDrive = live, half: int = half, done: list[int] = done) -> None:
                rng = random.Random(index)
                try:
                    for _ in range(index, times, 4):
                        client = CLIENTS[transport](live.uri)
                        for handle in range(16):
                            client.begin_write(handle, half + rng.randrange(64) * page, bytes([handle + 1]) * page)
                        client.close()
                        done[index] += 1
                except OSError:
                    pass

            threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            line: dict[str, object] = {"round": number, "hang_ups": sum(done)}
            try:
                found = whole.read(half, 64 * page)
                pages = [found[at : at + page] for at in range(0, len(found), page)]
                torn = sum(one != one[:1] * page for one in pages)
                line |= {
                    "survived": True,
                    "kept": b"".join(whole.read(at, page) for at in range(0, len(kept), page)) == kept,
                    "torn_pages": torn,
                }
                survived += 1
                live.stop()
            except OSError:
                line |= {"survived": False, "why": live.wait()}
                live.stop()
            print(json.dumps(line), flush=True)
    line = {"transport": transport, "rounds": rounds, "survived": survived, "parallel": parallel}
    print(json.dumps(line), flush=True)
    if survived < rounds:
        sys.exit(1)


def requests(drives: Sequence[str], seconds: float, rounds: int) -> None:
    """4 KiB random writes, 32 in flight, on one connection and on four: requests one by one and at the same time."""
    for preset in drives:
        drive, runs = small(preset), []
        for _ in range(rounds):
            run = {}
            for connections, parallel in ((1, True), (1, False), (4, True), (4, False)):
                with tempfile.TemporaryDirectory() as name, LiveDrive(drive, parallel_requests=parallel) as live:
                    job = fio(live.uri, Path(name), rw="randwrite", bs="4k", size=drive.exported_bytes, randrepeat=0,
                              iodepth=32 // connections, numjobs=connections, group_reporting=1, runtime=seconds,
                              time_based=1)  # fmt: skip
                    run[connections, parallel] = float(job["write"]["iops"])
            runs.append(run)
        for connections in (1, 4):
            one, many = (median(run[connections, parallel] for run in runs) for parallel in (False, True))
            ratio = median(run[connections, False] / run[connections, True] for run in runs)
            line = {"drive": preset, "connections": connections, "one_by_one": round(one), "parallel": round(many),
                    "ratio": round(ratio, 2)}  # fmt: skip
            print(json.dumps(line), flush=True)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drives", type=lambda given: given.split(","), default=PRESETS, metavar="A,B",
                        help="presets, or preset:scheme; all schemes by default")  # fmt: skip
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("verify")
    command.add_argument("--gib", type=float, default=2.0)
    command.set_defaults(act=lambda given: verify(given.drives, given.gib))
    command = commands.add_parser("speed")
    command.add_argument("--seconds", type=float, default=10.0)
    command.add_argument("--rounds", type=int, default=3)
    command.set_defaults(act=lambda given: speed(given.drives, given.seconds, given.rounds))
    command = commands.add_parser("transports")
    command.add_argument("--seconds", type=float, default=4.0)
    command.add_argument("--rounds", type=int, default=3)
    command.add_argument("--depth", type=int, default=32)
    command.set_defaults(act=lambda given: transports(given.drives, given.seconds, given.rounds, given.depth))
    command = commands.add_parser("crash")
    command.add_argument("--kills", type=int, default=50)
    command.add_argument("--transport", choices=sorted(CLIENTS), default="nbd")
    command.add_argument("--seed", type=int, default=1)
    command.set_defaults(act=lambda given: crash(given.drives, given.kills, given.seed, given.transport))
    command = commands.add_parser("hang-ups")
    command.add_argument("--rounds", type=int, default=8)
    command.add_argument("--times", type=int, default=2000)
    command.add_argument("--parallel", action="store_true", help="serve a connection's requests at the same time")
    command.add_argument("--transport", choices=sorted(CLIENTS), default="nbd")
    command.set_defaults(
        act=lambda given: hang_ups(given.drives, given.rounds, given.times, given.parallel, given.transport)
    )
    command = commands.add_parser("requests")
    command.add_argument("--seconds", type=float, default=4.0)
    command.add_argument("--rounds", type=int, default=3)
    command.set_defaults(act=lambda given: requests(given.drives, given.seconds, given.rounds))
    given = parser.parse_args()
    given.act(given)


if __name__ == "__main__":
    sys.exit(main())
