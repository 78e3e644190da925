"""Policies in Python: the same as their Rust twins, and errors that say where they are."""

import json
import pickle
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PATIENCE_S
from rewear import Drive, Policy, PolicyError, Workload, compare
from rewear.core import policy as policies
from rewear.core.errors import ConfigurationError

EXAMPLES = Path(__file__).parents[2] / "examples" / "policies"
SMALL = {
    "flash.channels": 2,
    "flash.dies_per_channel": 1,
    "flash.planes_per_die": 1,
    "flash.blocks_per_plane": 64,
    "flash.pages_per_block": 64,
    "ftl.over_provisioning": 0.28,
}
TWO_POOLS = {**SMALL, "ftl.erase_unit": "block"}
SKEWED = "zipf:requests=40000"
SETTINGS = [argument for key, value in SMALL.items() for argument in ("--set", f"{key}={value}")]
SHORT = ("--workload", SKEWED, "--precondition", "fill", *SETTINGS)


def _replayed(drive, **options):
    report = drive.replay(Workload(SKEWED), precondition="fill", **options).to_dict()
    assert report["garbage_collections"] > 0
    return {key: value for key, value in report.items() if key != "drive"}


def _file(folder, *lines):
    path = folder / "mine.py"
    path.write_text("\n".join(lines) + "\n")
    return path


def _failed(policy):
    with pytest.raises(PolicyError) as raised:
        _replayed(Drive("qlc", set=SMALL).with_policy(policy))
    return str(raised.value)


@pytest.mark.parametrize("shape", [SMALL, TWO_POOLS], ids=["one pool", "two pools"])
@pytest.mark.parametrize(
    ("file", "twin"),
    [
        ("greedy.py", {"ftl.victim.scheme": "greedy"}),
        ("cost_benefit.py", {"ftl.victim.scheme": "cost-benefit"}),
        ("generations.py", {"ftl.streams.scheme": "generations", "ftl.streams.generations": 3}),
        ("sep_bit.py", {"ftl.streams.scheme": "sep-bit"}),
    ],
)
def test_a_policy_does_to_the_byte_what_its_rust_twin_does(file, twin, shape):
    policy = Policy(EXAMPLES / file)
    mine, theirs = (
        _replayed(Drive("qlc", set=shape).with_policy(policy)),
        _replayed(Drive("qlc", set={**shape, **twin})),
    )
    if "streams" in mine:
        # Streams are counted from 0 on here, and from 1 on where a paper does.
        for number, row in enumerate(theirs["streams"]["rows"]):
            row["stream"] = mine["streams"]["rows"][number]["stream"]
    assert mine == theirs
    assert policy.calls >= mine["garbage_collections"]


def test_an_example_has_at_most_15_lines_that_say_something():
    files = sorted(EXAMPLES.glob("*.py"))
    assert len(files) == 5
    for file in files:
        assert len([line for line in file.read_text().splitlines() if line.strip()]) <= 15, file


def test_windows_weigh_age(tmp_path):
    windowed = Drive("qlc", set=SMALL).with_policy(EXAMPLES / "windowed_greedy.py")
    assert _replayed(windowed) != _replayed(Drive("qlc", set=SMALL))


def test_parameters_of_a_policy_can_be_changed(rewear, tmp_path):
    file = EXAMPLES / "windowed_greedy.py"
    one, all_of_them = (
        _replayed(Drive("qlc", set=SMALL).with_policy(Policy(file, {"window": n}))) for n in (1, "1000")
    )
    # A window of all units is greedy, but for ties.
    assert all_of_them["erases"] < one["erases"]
    compare = ("compare", "qlc", *SHORT, "--policy")
    said = rewear(*compare, f"{file}:window=2", "--policy", f"{file}:window=64", "--json").document()
    labels = [drive["label"] for drive in said["drives"]]
    assert labels[-2:] == ["windowed_greedy.py window=2", "windowed_greedy.py window=64"]
    assert "has no parameter 'widow'. It has: window." in rewear(*compare, f"{file}:widow=2").refused()
    assert "window=x is not of the kind of 16" in rewear(*compare, f"{file}:window=x").refused()
    lines = ("streams = 2", "cold = False", "def moved(unit):", "    return 1, [] if cold else [9.0]")
    with pytest.raises(PolicyError, match="leads to the streams 1 to 2"):
        _replayed(Drive("qlc", set=SMALL).with_policy(_file(tmp_path, *lines)))
    _replayed(Drive("qlc", set=SMALL).with_policy(Policy(_file(tmp_path, *lines), {"cold": "true"})))


def test_each_replay_begins_anew(tmp_path):
    # The first choice is another than the later ones: a policy that remembered would not make it again.
    path = _file(
        tmp_path,
        "asked = []",
        "def victim(units):",
        "    asked.append(1)",
        "    return units[-1 if len(asked) < 50 else 0]",
    )
    drive = Drive("qlc", set=SMALL).with_policy(path)
    first = _replayed(drive)
    assert _replayed(drive) == first != _replayed(Drive("qlc", set=SMALL))


def test_threads_of_a_comparison_change_nothing():
    drives = [("plain", Drive("qlc", set=SMALL))]
    drives += [(str(turn), Drive("qlc", set=SMALL).with_policy(EXAMPLES / "cost_benefit.py")) for turn in range(3)]
    told = [compare(Workload(SKEWED), drives, jobs=jobs, precondition="fill").to_dict() for jobs in (1, 4)]
    assert told[0] == told[1]


def test_reports_name_the_policy_and_no_description_leads_to_one():
    drive = Drive("qlc", set=SMALL).with_policy(EXAMPLES / "sep_bit.py")
    assert drive.configuration["ftl"]["streams"] == {"scheme": "custom", "name": "sep_bit.py", "streams": 6}
    with pytest.raises(ConfigurationError, match="custom"):
        Drive("qlc", set={"ftl.victim.scheme": "custom"})


def test_units_are_a_sequence_that_tells_their_state():
    seen = []

    class Looks:
        def victim(self, units):
            if not seen:
                seen.append(units)
                assert units[-1].valid == max(unit.valid for unit in units) < units[0].pages
                assert [unit.number for unit in units[::-1]] == [unit.number for unit in reversed(units)]
                assert [unit.valid for unit in units.oldest] == sorted({unit.valid for unit in units})
                assert all(unit.age >= 1 and unit.erases >= 0 and unit.stream == 0 for unit in units)
                assert "pages valid" in repr(units[0])
                with pytest.raises(IndexError, match="there are"):
                    units[len(units)]
            return units[0]

    _replayed(Drive("qlc", set=SMALL).with_policy(Looks))
    assert len(seen[0]) > 1


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["def victim(units):", "    return units[0"], "mine.py, line 2: "),
        (["import missing_library"], "mine.py, line 1: ModuleNotFoundError: "),
        (["1 / 0"], "mine.py, line 1: ZeroDivisionError: division by zero"),
        (["wictim = 3"], "has none of the functions of a policy. Write def victim(units):"),
        (["victim = 3"], "victim is no function"),
        (["def moved(unit):", "    return 0"], "no number of them. Write streams = 2."),
        (["streams = 2", "def victim(units):", "    return units[0]"], "streams and no function that uses them"),
        (["streams = 17", "def moved(unit):", "    return 0"], "streams = 17. Give a number from 2 to 16."),
        (["def victim(units):", "", "    return units[0].vaild"], "mine.py, line 3, victim: AttributeError: "),
        (["def victim(units):", "    return 0"], "mine.py, line 1, victim: the answer 0 is none of the units"),
        (
            ["def victim(units):", "    pass"],
            "None is none of the units that it was given. Return one of them",
        ),
        (["def victim():", "    return 0"], "mine.py, line 1, victim: TypeError: "),
        (["def victim(units):", "    return best(units)"], "mine.py, line 2, victim: NameError: "),
        (["def victim(units):", "    raise SystemExit(0)"], "mine.py, line 2, victim: SystemExit: "),
        (
            ["kept = []", "def victim(units):", "    kept.append(units[0])", "    return kept[0]"],
            "line 2, victim: the answer <unit ",
        ),
        (["streams = 2", "def moved(unit):", "    return 2"], "leads to the streams 2 to 2, and there are 0 to 1"),
        (["streams = 2", "def host():", "    return 1, [5]"], "host: the answer (1, [5]) leads to the streams 1 to 2"),
        (["streams = 3", "def host():", "    return 0, [5, 3]"], "ages that do not rise"),
        (["streams = 2", "def moved(unit):", "    return -1"], "leads to the streams -1 to -1"),
        (["streams = 2", "def moved(unit):", "    return 'hot'"], "'hot' is neither the number of a stream"),
        (["streams = 2", "def moved(unit):", "    return 0, [float('nan')]"], "ages that do not rise"),
        (
            ["import itertools", "streams = 2", "def moved(unit):", "    return 0, itertools.count()"],
            "leads to the streams 0 to 17, and there are 0 to 1",
        ),
        (["streams = 2", "def moved(unit):", "    return 0, range(10**15)"], "leads to the streams 0 to 17"),
        (["import os", "os._exit(0)"], "mine.py, line 2: SystemExit: os._exit(0)"),
        (["import os", "def victim(units):", "    os._exit(0)"], "mine.py, line 3, victim: SystemExit: os._exit(0)"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, lines, words):
    path = _file(tmp_path, *lines)
    said = _failed(path)
    assert words in said
    assert str(path) in said


@pytest.mark.parametrize("endless", ["sum(range(10**15))", "max(itertools.count())"])
def test_a_call_that_takes_no_exception_ends_the_command(tmp_path, endless):
    _file(tmp_path, "import itertools", "def victim(units):", f"    {endless}", "    return units[0]")
    shorter = "from rewear.cli.main import main; from rewear.core import policy; policy._MOST_S = 1.0; main()"
    done = subprocess.run(
        [sys.executable, "-c", shorter, "run", "--drive", "qlc", "--policy", "mine.py", *SHORT],
        cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "mine.py: no answer within 1 seconds" in done.stderr


def test_a_policy_without_end_is_not_read(rewear):
    said = rewear("run", "--drive", "qlc", "--workload", "uniform", "--policy", "/dev/zero").refused()
    assert "/dev/zero is longer than 16 MiB" in said


def test_a_unit_of_an_earlier_call_is_no_answer(tmp_path):
    path = _file(tmp_path, "kept = []", "def victim(units):", "    kept.append(units[0])", "    return kept[0]")
    assert "is a unit of an earlier call" in _failed(path)


def test_what_a_policy_raises_is_the_cause(tmp_path):
    path = _file(tmp_path, "def victim(units):", "    raise LookupError('lost')")
    with pytest.raises(PolicyError) as raised:
        _replayed(Drive("qlc", set=SMALL).with_policy(path))
    assert isinstance(raised.value.__cause__, LookupError)


def test_an_interrupt_in_a_policy_is_one(tmp_path):
    path = _file(tmp_path, "def victim(units):", "    raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        _replayed(Drive("qlc", set=SMALL).with_policy(path))


CATCHES = ("        try:", "            units[10**9]", "        except Exception:", "            pass")


@pytest.mark.parametrize("loop", [("        pass",), CATCHES])
def test_a_loop_that_does_not_end_is_ended(tmp_path, monkeypatch, loop):
    monkeypatch.setattr(policies, "_MOST_S", 0.2)
    path = _file(tmp_path, "def victim(units):", "    while True:", *loop)
    said = _failed(path)
    assert "victim: no answer within 0.2 seconds. Is there a loop that does not end?" in said
    assert f"{path}, line " in said


def test_a_slow_policy_that_answers_is_not_ended(tmp_path, monkeypatch):
    # Thousands of calls take longer together than one may.
    monkeypatch.setattr(policies, "_MOST_S", 2.0)
    slow = "    return max(list(units) * 20, key=lambda unit: -unit.valid)"
    policy = Policy(_file(tmp_path, "def victim(units):", slow))
    _replayed(Drive("qlc", set=SMALL).with_policy(policy))
    assert policy.calls > 100


def test_a_policy_of_a_class_is_named_by_it():
    class Wrong:
        def victim(self, units):
            return None

    said = _failed(Wrong)
    assert "Wrong, line" in said
    assert "victim: the answer None" in said


def test_what_a_policy_in_python_cannot_do_is_refused():
    drive = Drive("qlc", set=SMALL).with_policy(EXAMPLES / "greedy.py")
    with pytest.raises(TypeError, match=r"the policy greedy\.py in Python belongs to this one"):
        pickle.dumps(drive)
    crowded = Drive("qlc", set={**SMALL, "ftl.over_provisioning": 0.1, "flash.blocks_per_plane": 32})
    with pytest.raises(ConfigurationError, match="over_provisioning"):
        crowded.with_policy(EXAMPLES / "sep_bit.py")
    with pytest.raises(PolicyError, match="3 is no policy"):
        Policy(3)


def test_commands_take_a_policy(rewear, tmp_path):
    greedy = str(EXAMPLES / "greedy.py")
    said = rewear("run", "--drive", "qlc", "--policy", greedy, *SHORT).stdout
    assert "on qlc with greedy.py" in said
    told = json.loads(
        rewear(
            "compare", "qlc", "--policy", greedy, "--policy", str(EXAMPLES / "cost_benefit.py"), *SHORT, "--json"
        ).stdout
    )
    plain, mine, other = told["drives"]
    assert [plain["label"], mine["label"], other["label"]] == ["qlc", "greedy.py", "cost_benefit.py"]
    assert mine["figures"] == plain["figures"] != other["figures"]
    wrong = _file(tmp_path, "def victim(units):", "    return units[0].vaild")
    for command in (["run", "--drive", "qlc", "--policy"], ["compare", "qlc", "--policy"]):
        assert f"{wrong}, line 2, victim: AttributeError" in rewear(*command, str(wrong), *SHORT).refused()
        assert "There is no file" in rewear(*command, "gone.py", *SHORT).refused()


def test_what_a_policy_leaves_open_is_the_drives():
    drive = Drive("qlc", set={**SMALL, "ftl.victim.scheme": "cost-benefit"}).with_policy(EXAMPLES / "generations.py")
    assert drive.configuration["ftl"]["victim"] == {"scheme": "cost-benefit"}


def _blocks(kind):
    page = (EXAMPLES.parents[1] / "docs" / "tutorials" / "python-policy.md").read_text(encoding="utf-8")
    return re.findall(rf'^```{kind}(?: title="(.*?)")?\n(.*?)^```', page, re.MULTILINE | re.DOTALL), page


def test_the_tutorial_does_what_it_says(rewear, tmp_path):
    programs, page = _blocks("python")
    for name, text in programs:
        (tmp_path / name).write_text(text)
        example = EXAMPLES / name
        assert not example.exists() or example.read_text() == text, name
    commands = [shlex.split(line) for _, text in _blocks("sh")[0] for line in text.replace("\\\n", " ").splitlines()]
    # The large comparisons have the same settings, so that one does for all.
    large = [command for command in commands if "zipf:requests=600000" in command]
    settings = {tuple(command[command.index("--set") :]) for command in large}
    drives = dict.fromkeys(word for command in large for word in command[2:] if "=qlc-op28" in word)
    files = dict.fromkeys(word for command in large for word in command[2:] if ".py" in word)
    assert (len(settings), len(drives), len(files)) == (1, 3, 6)
    policies = [word for file in files for word in ("--policy", file)]
    for drive in rewear("compare", *drives, *policies, *settings.pop(), "--json").document()["drives"]:
        figures = drive["figures"]
        assert f"| {drive['label']} | {figures['write_amplification']:.3f} | {figures['erases']:,} |" in page
    for command in commands:
        if command not in large:
            assert rewear(*command[1:]).returncode == 0
    done = subprocess.run([sys.executable, "use.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert int(done.stdout.split()[-2]) > 0


def test_the_error_of_the_tutorial_is_the_one_that_comes(tmp_path):
    said = _failed(_file(tmp_path, "def victim(units):", "    return max(units, key=lambda unit: unit.agee)"))
    ((_, quoted),) = _blocks("text")[0]
    words = " ".join(quoted.split()).removeprefix("rewear: ")
    assert said.replace(f"{tmp_path}/", "") == words
