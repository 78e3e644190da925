"""Clusters: who gets in, what is said where there is none, and what becomes of runs whose workers are gone."""

import contextlib
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import pytest
from conftest import PATIENCE_S, is_alive, scheduler_address, started, wait_until
from distributed import Client
from rewear.core.errors import RewearError, RewearWarning
from rewear.sweep import Sweep, cluster
from test_sweep import ROOT, SMALL

SHORT = f'[base]\ndrive = "qlc"\nworkload = "uniform:requests=2000"\n{SMALL}\n[axes]\nseed = [1, 2, 3]\n'
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

# What a stranger tries who finds the port: to connect as a client and to run code.
STRANGER = """
import sys
from distributed import Client
try:
    client = Client(sys.argv[1], timeout=10)
    client.submit(open, sys.argv[2], "w").result(timeout=10)
except BaseException as error:
    print(type(error).__name__)
"""


def listening(pids: list[int]) -> set[int]:
    """The TCP ports on which some processes listen."""
    inodes = set()
    for pid in pids:
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                inodes.add(str(link.readlink()).removeprefix("socket:[").removesuffix("]"))
    ports = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and words[9] in inodes:
                ports.add(int(words[1].rpartition(":")[2], 16))
    return ports


def answer(port: int, tls: bool, path: str) -> bytes:
    """What a server says to a request of the web by somebody who has no certificate; nothing if it is silent."""
    with socket.create_connection(("127.0.0.1", port), timeout=1) as link:
        try:
            if tls:
                context = ssl.create_default_context()
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
                link = context.wrap_socket(link)
            link.sendall(f"GET {path} HTTP/1.0\r\nConnection: close\r\n\r\n".encode())
            return link.recv(100)
        except OSError:
            return b""


@pytest.fixture(scope="module")
def local():
    with cluster(workers=1) as client:
        yield client


def test_the_port_that_dask_shows_its_pages_on_may_be_taken():
    with socket.socket() as other, warnings.catch_warnings():
        warnings.simplefilter("error")
        # Whoever holds it already does as well.
        with contextlib.suppress(OSError):
            other.bind(("127.0.0.1", 8787))
            other.listen()
        with cluster(workers=1) as client:
            assert client.submit(int, "3").result(timeout=PATIENCE_S) == 3


def test_a_stranger_runs_no_code_on_a_local_cluster(local: Client, tmp_path: Path):
    address = local.scheduler.address
    assert address.startswith("tls://127.0.0.1:")
    for kind in ("tcp", "tls"):
        words = (sys.executable, "-c", STRANGER, address.replace("tls", kind), str(tmp_path / "owned"))
        options = {"capture_output": True, "text": True, "timeout": PATIENCE_S}
        # The interpreter must lie where the stranger may read; otherwise the stranger has our own name.
        stranger = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        try:
            done = subprocess.run(
                words, check=False, cwd="/", env={**os.environ, "HOME": "/tmp"}, **options, **stranger
            )
        except PermissionError:
            done = subprocess.run(words, check=False, **options)
        assert done.stdout.strip().endswith(("Error", "Exception")), done
        assert not (tmp_path / "owned").exists()


def test_no_port_of_a_local_cluster_answers_without_a_certificate(local: Client):
    workers = list(local.run(os.getpid).values())
    ports = listening([os.getpid(), *workers])
    assert int(local.scheduler.address.rpartition(":")[2]) in ports
    for port in sorted(ports):
        for path in ("/info/main/workers.html", "/json/counts.json", "/metrics", "/"):
            for tls in (False, True):
                said = answer(port, tls, path)
                # A server of TLS answers plain text with an alert; one of the web has no page.
                assert said == b"" or said.startswith((b"\x15\x03", b"HTTP/1.1 404")), (port, tls, path, said)


def test_workers_keep_their_files_where_only_the_owner_gets(local: Client):
    [folder] = local.run(lambda dask_worker: dask_worker.local_directory).values()
    private = next(parent for parent in Path(folder).parents if parent.name.startswith("rewear-sweep-"))
    assert private.stat().st_mode & 0o077 == 0
    assert private.stat().st_uid == os.geteuid()


@contextlib.contextmanager
def scheduler(folder: Path):
    """The address and the process of a scheduler of its own."""
    file = folder / "scheduler.json"
    words = (sys.executable, "-m", "dask", "scheduler", "--scheduler-file", str(file), "--port", "0", "--no-dashboard")
    with started(*words, **QUIET) as process:
        yield scheduler_address(file), process


def worker(address: str):
    words = (sys.executable, "-m", "dask", "worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
    return started(*words, **QUIET)


def test_an_open_cluster_is_warned_of(tmp_path: Path):
    with (
        scheduler(tmp_path) as (address, _),
        pytest.warns(RewearWarning, match="runs the code of everybody who reaches it"),
        cluster(address),
    ):
        pass


def test_runs_without_workers_say_so_and_go_on_when_one_comes(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("rewear.sweep.execute._SAY_AFTER_S", 0.0)
    with scheduler(tmp_path) as (address, _):
        results, said = [], threading.Event()

        def says(message, *_more, **_options):
            if "3 runs wait, and there is no worker. Start some: dask worker" in str(message):
                said.set()

        monkeypatch.setattr("rewear.sweep.execute.warnings.warn", says)
        sweep = threading.Thread(
            target=lambda: results.append(Sweep.from_toml(SHORT).run(address, store=tmp_path / "runs")), daemon=True
        )
        sweep.start()
        assert said.wait(PATIENCE_S), "nothing was said of runs without workers"
        with worker(address):
            sweep.join(PATIENCE_S)
            assert not sweep.is_alive(), "the sweep did not go on when a worker came"
    assert results[0].complete


def test_runs_whose_workers_stay_away_end_with_an_error(rewear, tmp_path: Path):
    (tmp_path / "short.toml").write_text(SHORT)
    with scheduler(tmp_path) as (address, _):
        done = rewear("sweep", "short.toml", "--scheduler", address, "--patience", "1")
    assert done.returncode == 2, done
    assert "3 runs wait, and there is no worker" in done.stderr
    assert "No worker came for 1 s, and 3 runs wait. Start some: dask worker" in done.stderr
    assert "Traceback" not in done.stderr


def test_runs_whose_scheduler_is_gone_end_with_an_error(tmp_path: Path):
    with scheduler(tmp_path) as (address, process), cluster(address) as client:
        failed: list[Exception] = []

        def run():
            try:
                Sweep.from_toml(SHORT).run(client, store=tmp_path / "runs")
            except RewearError as error:
                failed.append(error)

        sweep = threading.Thread(target=run, daemon=True)
        sweep.start()
        wait_until(lambda: len(client.futures) == 3, "the runs are with the scheduler")
        process.kill()
        sweep.join(PATIENCE_S)
        assert not sweep.is_alive(), "the sweep did not notice that its scheduler is gone"
        assert "The scheduler is gone" in str(failed[0])


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("tcp://127.0.0.1:{closed}", "refused"),
        ("tcp://127.0.0.1:{silent}", "no scheduler at tcp://127.0.0.1:"),
        ("tls://127.0.0.1:{silent}", "certificates"),
        ("tcp://127.0.0.1:99999", "no scheduler"),
        ("tcp://127.0.0.1:none", "no scheduler"),
        ("tcp://no-such-host.invalid:8786", "no scheduler"),
        ("nonsense://somewhere", "no scheduler"),
        ("tcp://", "no scheduler"),
    ],
)
def test_an_address_without_scheduler_is_refused(rewear, tmp_path: Path, address, words):
    (tmp_path / "short.toml").write_text(SHORT)
    with socket.create_server(("127.0.0.1", 0)) as silent, socket.create_server(("127.0.0.1", 0)) as other:
        closed = other.getsockname()[1]
        other.close()
        address = address.format(silent=silent.getsockname()[1], closed=closed)
        message = rewear("sweep", "short.toml", "--scheduler", address).refused()
    assert words in message
    assert "dask scheduler" in message
    assert message.count("\n") == 0


def work_begins(process: "subprocess.Popen[str]") -> None:
    children = Path(f"/proc/{process.pid}/task")
    wait_until(
        lambda: sum(len((task / "children").read_text().split()) for task in children.iterdir()) > 1,
        "a worker starts beside the tracker of resources",
        process,
    )


def leaves_nobody(process: "subprocess.Popen[str]") -> None:
    wait_until(lambda: process.poll() is not None, "the end of the command")
    wait_until(lambda: not is_alive(process.pid), "the end of its workers")


ENDLESS = SHORT.replace("2000", "1000000000000")
SWEEP = (sys.executable, "-m", "rewear", "sweep", "endless.toml", "--workers", "1")


def test_a_killed_cluster_leaves_nobody(tmp_path: Path):
    (tmp_path / "endless.toml").write_text(ENDLESS)
    with started(*SWEEP, cwd=tmp_path) as process:
        work_begins(process)
        process.kill()
        leaves_nobody(process)


def test_a_cluster_whose_terminal_is_closed_leaves_nobody(tmp_path: Path):
    (tmp_path / "endless.toml").write_text(ENDLESS)
    window, terminal = os.openpty()
    # The first process of a session that opens a terminal gets it as its own. Whoever runs the tests may ignore that
    # theirs is closed, which is handed down.
    words = ("env", "--default-signal=HUP", "bash", "-c", 'exec "$@" <"$0" >"$0" 2>&1', os.ttyname(terminal), *SWEEP)
    with started(*words, cwd=tmp_path) as process:
        work_begins(process)
        os.close(terminal)
        os.close(window)
        leaves_nobody(process)
    assert process.returncode == -signal.SIGHUP


def test_the_recipe_for_a_secured_cluster_works_as_written(tmp_path: Path):
    (tmp_path / "FILE.toml").write_text(SHORT)
    recipe = next(
        block
        for block in (ROOT / "docs/manual/sweeps.md").read_text().split("```sh\n")
        if block.startswith("openssl req")
    )
    text = recipe.split("```")[0].replace("\\\n", " ")
    lines = [line.split("  #")[0].strip() for line in text.splitlines() if not line.startswith("#")]
    certificate, scheduling, working, sweeping = lines[:3], lines[3], lines[4], lines[5:]
    assert scheduling.startswith("dask scheduler --protocol tls")
    assert working.startswith("dask worker tls://HOST:8786")
    assert sweeping[-1] == "rewear sweep FILE.toml --scheduler tls://HOST:8786"
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    options = {"cwd": tmp_path, "env": {**os.environ, "PATH": path}}

    def shell(*words: str) -> tuple[str, ...]:
        return ("bash", "-ec", "\n".join(words))

    subprocess.run(shell(*certificate), check=True, capture_output=True, timeout=PATIENCE_S, **options)
    own = "--port 0 --scheduler-file scheduler.json --no-dashboard"
    with started(*shell(certificate[2], f"exec {scheduling} {own}"), **QUIET, **options):
        address = scheduler_address(tmp_path / "scheduler.json")
        assert address.startswith("tls://")
        working, *sweeping = (line.replace("tls://HOST:8786", address) for line in (working, *sweeping))
        with started(*shell(certificate[2], f"exec {working} --no-dashboard"), **QUIET, **options):
            done = subprocess.run(
                shell(*sweeping), check=False, capture_output=True, text=True, timeout=PATIENCE_S, **options
            )
    assert done.returncode == 0, done.stderr
    assert "without TLS" not in done.stderr
    assert (tmp_path / "out/FILE.parquet").exists()
