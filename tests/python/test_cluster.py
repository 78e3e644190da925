"""Clusters: who gets in, what is said where there is none, and what becomes of runs whose workers are gone."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import PATIENCE_S, scheduler_address, started, wait_until
from distributed import Client, LocalCluster
from rewear.core.errors import RewearError, RewearWarning
from rewear.sweep import Sweep
from rewear.sweep.cluster import cluster
from test_sweep import LONG, ROOT, SMALL

SHORT = f'[base]\ndrive = "qlc"\nworkload = "uniform:requests=2000"\n{SMALL}\n[axes]\nseed = [1, 2, 3]\n'
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


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
    monkeypatch.setattr("rewear.sweep.cluster._SAY_AFTER_S", 0.0)
    with scheduler(tmp_path) as (address, _):
        results, said = [], threading.Event()

        def says(message, *_more, **_options):
            if "3 runs wait, and there is no worker. Start some: dask worker" in str(message):
                said.set()

        monkeypatch.setattr("rewear.sweep.cluster.warnings.warn", says)
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


def test_a_run_that_kills_its_workers_is_a_failed_row(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("rewear.sweep.cluster._perform", lambda task: os._exit(1))
    text = f'[base]\ndrive = "qlc"\nworkload = "uniform:requests=9"\n{SMALL}'
    local = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, silence_logs="CRITICAL")
    with local, Client(local) as client:
        row = Sweep.from_toml(text).run(client, store=tmp_path).rows[0]
    assert row.status == "failed"
    assert "workers died" in row.reason
    assert not list(tmp_path.glob("*/*.json"))


def test_a_sweep_goes_on_when_one_of_two_workers_is_killed(tmp_path: Path):
    with (
        scheduler(tmp_path) as (address, _),
        worker(address) as victim,
        worker(address) as survivor,
    ):
        with cluster(address) as client:
            client.wait_for_workers(2, timeout=PATIENCE_S)
        after_the_kill = []

        def progress(ended):
            if victim.poll() is None:
                victim.kill()
                victim.wait()
            else:
                after_the_kill.append(ended.row.job.label)

        # Whichever worker ends the first run, each has been given several by then.
        results = Sweep.from_toml(LONG).run(address, store=tmp_path / "runs", progress=progress)
        assert victim.returncode == -9
        assert survivor.poll() is None
        assert len(after_the_kill) == 5
    assert results.complete
    expected = Sweep.from_toml(LONG).run(store=tmp_path / "others")
    assert results.to_arrow().equals(expected.to_arrow())


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
