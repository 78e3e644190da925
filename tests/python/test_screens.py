"""Screens of commands as snapshots: exit code, stdout, stderr. `pytest --snapshot-update` writes them anew."""

import shlex
from pathlib import Path

import pytest
from conftest import SMALL

SET = " ".join(f"--set {setting}" for setting in SMALL)
UNIFORM = "--workload uniform:requests=100"
FILES = {
    "empty.csv": b"",
    "prose.csv": b"hello\nworld\n",
    "bytes.csv": bytes(range(256)) * 40,
    "cut.csv": b"128166372003061629,hm,0,Read,0,4096,1\n" * 40 + b"128166372003061630,hm,0,Read,0\n",
    "far.csv": b"128166372003061629,hm,0,Write,9999999995904,4096,1\n",
    "table.toml": b'name = "x"\n[flash\n',
    "key.toml": b'name = "x"\ncolour = "red"\n',
    "bare.toml": b'name = "x"\n',
    "log.json": b'{"model_name": "x"}\n',
    "twice.json": b'{"a": 1, "a": 2}\n',
}
COMMANDS = (
    # Help.
    "--help",
    "advise --help",
    "run --help",
    "trace --help",
    # Answers.
    "show qlc",
    "list workloads zipf",
    "list parameters ftl.victim",
    "trace formats",
    "trace info small.csv",
    "trace head small.csv -n 3",
    "trace analyze small.csv",
    "trace convert small.csv small.rwt",
    f"run --drive qlc --workload uniform:requests=20000 --precondition fill {SET}",
    "run --drive qlc --workload uniform:requests=10",
    f"run --drive qlc {SET} --set flash.endurance_cycles=2 --set ftl.over_provisioning=0.3 "
    "--workload uniform:requests=200000",
    f"compare --workload uniform:requests=20000 --precondition fill qlc roomy=qlc:ftl.over_provisioning=0.5 {SET}",
    "advise small.csv",
    # Errors of a user.
    "show qcl",
    "show missing.toml",
    "show qlc:ftl.over_provisionin=0.1",
    "show qlc:nonsense",
    "show qlc --set nonsense",
    "show qlc --set ftl.over_provisioning=",
    "show qlc --set ftl.over_provisioning=-1",
    "show qlc --set ftl.over_provisioning=high",
    "show qlc --set flash.blocks_per_plane=0",
    "show qlc --set reuse.scheme=wom-w",
    "show table.toml",
    "show key.toml",
    "show bare.toml",
    "run --drive qlc",
    f"run --drive qlc --trace a {UNIFORM}",
    "run --drive qlc --workload unifrom",
    "run --drive qlc --workload uniform:request=1",
    "run --drive qlc --workload uniform:requests=many",
    "run --drive qlc --workload zipf:theta=-3",
    "run --drive qlc --workload uniform:requests=1e6,arrival=fixed,rate=0.000001",
    f"run --drive qlc {UNIFORM} --loops 0",
    f"run --drive qlc {UNIFORM} --precondition full",
    "run --drive qlc --trace far.csv",
    "run --drive qlc --trace cut.csv",
    f"compare {UNIFORM} qlc qlc",
    f"compare {UNIFORM}",
    "trace info missing.csv",
    "trace info empty.csv",
    "trace info prose.csv",
    "trace info bytes.csv",
    "trace info small.csv:skip=true",
    "trace info small.csv:skip_bad_lines=perhaps",
    "trace convert missing.csv out.rwt",
    "life log.json",
    "life twice.json",
)


@pytest.mark.usefixtures("msr_trace")
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.replace(SET, "SET"))
def test_a_command_prints_what_it_printed(rewear, tmp_path: Path, snapshot, command: str):
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    done = rewear(*shlex.split(command))
    assert "Traceback" not in done.stderr and "panicked" not in done.stderr
    parts = [f"exit code {done.returncode}", done.stdout, *(["--- stderr", done.stderr] if done.stderr else [])]
    screen = "\n".join(parts).replace(str(tmp_path), "FOLDER")
    # A terminal fills lines up to its width.
    assert "\n".join(line.rstrip() for line in screen.splitlines()) == snapshot
