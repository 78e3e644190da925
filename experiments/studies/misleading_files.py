"""Answers to small files that once failed or misled, one row a file.

    .venv/bin/python experiments/studies/misleading_files.py FOLDER

The files are no part of the project, so their folder is named. What is right was set by those who reported them; a
row without *yes* is wrong. Traces in 46 forms are made by the folder's own generators; all have the same requests.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import rewear
from rewear.cli.arguments import parse_trace
from rewear.core.errors import RewearError

SECONDS = 1e9
FORTY = "5 reads, 35 writes"
GENERATED = "868 reads, 2,132 writes"
TRACES = {
    "blkparse_wrapped_time.txt": ("blkparse, an event before the first, printed as 2^64 ns less", f"{FORTY}, 0.1 s"),
    "csv_clock_jump.csv": ("csv whose clock jumps by 40 years", "no years: A gap of 40.0 years before line 16"),
    "msr_with_header.csv": ("MSR with a heading", FORTY),
    "tencent_with_header.csv": ("Tencent with a heading", FORTY),
    "disksim_with_heading.txt": ("DiskSim with a heading", FORTY),
    "disksim_with_hash_comment.txt": ("DiskSim with a comment", FORTY),
    "spc_with_heading.csv": ("SPC with a heading", FORTY),
    "ssdsim_commas.csv": ("SSDsim with commas", FORTY),
    "ftrace_block_rq.txt": ("ftrace, block_rq_issue", "2 reads, 18 writes"),
    "tracecmd_nvme_setup_cmd.txt": ("trace-cmd, nvme_setup_cmd", "2 reads, 18 writes"),
    "perf-tools_iosnoop_ts.txt": ("iosnoop of perf-tools", FORTY),
    "fio_lat_log_offset.log": ("fio's latency log with offsets", FORTY),
    "simplessd_time_lba_n_op.txt": ("four columns without a heading", f"by the printed option: {FORTY}"),
    "own_columns.csv": ("five columns with a heading", f"by the printed option: {FORTY}"),
    "blkparse_custom_format.csv": ("blkparse with a format of one's own that has no direction", "refused"),
    "procmon.csv": ("Process Monitor", "refused: is a log of Process Monitor: its offsets are in files"),
    "darshan_dxt.txt": ("Darshan DXT", "refused: is a trace of Darshan: its offsets are in files"),
    "strace_pwrite.txt": ("strace", "refused: is output of strace: its offsets are in files"),
    "three_volumes_of_a_page.trace": ("a page on each of three volumes", "needs 12,288 bytes"),
}
"""File -> what it is, and what its answer begins with if it is right."""
LOGS = {
    "smartctl_nvme_text.txt": ("text of smartctl, NVMe", "About 20.6 days left", "98%"),
    "nvme_smart_log_text.txt": ("text of nvme smart-log", "About 1.8 years left", "4%"),
    "nvme_thousands_separators.json": ("JSON with separators of thousands", "About 1.8 years left", "4%"),
    "powershell_utf16.json": ("JSON in UTF-16", "About 20.6 days left", "98%"),
    "two_logs_concatenated.json": ("two logs in a file", "About 20.6 days left", "98%"),
    "smartctl_exporter.prom": ("metrics of smartctl_exporter", "About 1.8 years left", "4%"),
    "sas_ssd.json": ("SAS", "About 11 years left by this use (11 to 12", "20% used, host wrote 731 TB"),
    "nvme_intel_smart_log_add.json": (
        "Intel's additional log",
        "Cannot say",
        "host wrote 146 TB, write amplification 2.84",
    ),
    "wd_blue_smartctl_a.json": ("attribute 230 that counts up", "At least", "0%"),
    "wd_blue_counts_up.json": ("the same, another firmware", "At least", "0.01%"),
    "wd_green_raw_is_47_percent.json": ("attribute 230 in raw words", "About 4.7 years left", "47.36% used"),
    "sata_unit_of_32MiB.json": (
        "a count in units of 32 MiB",
        "About 30 years left",
        "9% used, host wrote unknown: Total_LBAs_Written would be 3 GB",
    ),
    "device_statistics_not_valid.json": ("a statistic that is not valid", "About 205 days left", "81%"),
    "rounding_98.6_days.json": ("days, once rounded as years", "About 99.7 days left by this use (87.6 to 115", "8%"),
}
"""File -> what it is, and what its headline and its figures have if they are right."""


def main() -> None:
    """Prints a row a file."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    print("| file | answer | right |\n|---|---|---|")
    for name, (about, right) in TRACES.items():
        answer = of_trace(folder / name)
        tell(about, answer, answer.startswith(right))
    for name, (about, headline, figures) in LOGS.items():
        answer, found = of_log(folder / name)
        tell(about, f"{answer}; {found}", answer.startswith(headline) and found.startswith(figures))
    with tempfile.TemporaryDirectory() as made:
        for name in ("gen_renderings.py", "gen_headings.py"):
            renderings(folder / name, Path(made))
        stray(folder / "gen_stray_time.py", Path(made))


def tell(about: str, answer: str, right: bool) -> None:
    """Prints a row."""
    print(f"| {about} | {answer.replace('|', ' ')} | {'yes' if right else '**no**'} |", flush=True)


def of_trace(path: Path) -> str:
    """Requests of a trace, by the option that its refusal prints where it is refused; or the refusal."""
    try:
        return counted(str(path))
    except RewearError as error:
        said = str(error).removeprefix(str(path)).lstrip(": ")
        if option := re.search(rf"{re.escape(str(path))}:(\S+=\S+)", str(error)):
            return f"by the printed option: {counted(f'{path}:{option[1]}')}"
        return f"refused: {said}"


def counted(name: str) -> str:
    """What was read of a trace."""
    info = parse_trace(name).info()
    if info["clock_jump"] is not None:
        return f"no years: {info['clock_jump']['problem']}"
    if len(info["volumes"]) > 1:
        return f"needs {info['distinct_pages_touched'] * 4096:,} bytes"
    lasted = (info["last_ns"] - info["first_ns"]) / SECONDS
    return f"{info['read']['requests']:,} reads, {info['write']['requests']:,} writes, {lasted:.1f} s"


def of_log(path: Path) -> tuple[str, str]:
    """The headline of the first disk of a log, and its figures."""
    try:
        disk = rewear.life([path])[0]
    except RewearError as error:
        return f"refused: {error}", ""
    last = disk.last
    found = [] if last.used is None else [f"{last.used:g}% used"]
    host = f"unknown: {last.host_from}" if last.host_bytes is None else f"{last.host_bytes / 1e12:.3g} TB"
    found.append(f"host wrote {host}")
    if disk.amplification is not None:
        found.append(f"write amplification {disk.amplification:.2f}")
    return disk.headline, ", ".join(found)


def renderings(generator: Path, folder: Path) -> None:
    """A row for all forms of a generator that have the same answer."""
    before = set(folder.iterdir())
    shutil.copy(generator, folder)
    subprocess.run([sys.executable, generator.name], cwd=folder, check=True)
    answers: dict[str, list[str]] = {}
    for path in sorted(set(folder.iterdir()) - before):
        if path.name not in ("TRUTH", generator.name):
            answer = re.sub(r"format=\S+", "...", of_trace(path).replace(str(path), "FILE"))
            answers.setdefault(answer, []).append(path.name)
    for answer, names in answers.items():
        # A write before the first more.
        wrapped = names == ["blkparse_wrap.txt"] and answer.startswith("868 reads, 2,133 writes, 14.6 s")
        tell(", ".join(names), answer, GENERATED in answer or answer.startswith("refused") or wrapped)


def stray(generator: Path, folder: Path) -> None:
    """Rows for a recording with a request dated eleven days late."""
    for about, *words in (("60,000 writes over 400 s",), ("the same, one dated 1,000,000 s", "x")):
        path = folder / f"stray{len(words)}.txt"
        made = subprocess.run([sys.executable, generator, *words], capture_output=True, text=True, check=True)
        path.write_text(made.stdout, encoding="ascii")
        answer = rewear.advise(path, techniques=False)
        said = answer.years_unknown or "years are said"
        tell(about, said, ("line 30001" in said) if words else said == "years are said")


if __name__ == "__main__":
    main()
