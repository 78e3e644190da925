"""Lives of combined techniques, and of seal by cycles, extrapolated and followed to the last block.

    .venv/bin/python experiments/studies/combined_lives.py [CASE...]

The drive is that of `make lives`, which has the same combinations; docs/notebook/lifetime.md has the tables.
"""

import sys

import rewear
from rewear.core.bundled import recordings

DRIVE = """
name = "small"
[flash]
channels = 1
dies_per_channel = 1
planes_per_die = 2
blocks_per_plane = 512
pages_per_block = 32
page_bytes = 4096
bits_per_cell = 4
endurance_cycles = 300
[flash.timing]
read_ns = [50_000]
program_ns = [500_000]
erase_ns = 3_000_000
channel_mb_per_s = 400
[ftl]
over_provisioning = 0.25
"""
SECOND_WRITES = {"reuse.scheme": "second-write", "flash.endurance_cycles": 1000}
EFFORT = {"effort.scheme": "differentiated-ecc", "effort.low_cost_program_ns": "[250000]"}
LX = {"recycle.scheme": "lx"}
SEAL = {"flash.bits_per_cell": 2, "flash.page_order": "paired", "reuse.scheme": "seal"}
OVERWRITES = tuple(
    f"overwrite-regions:region={region},skew={skew}"
    for region, skew in ((0.05, 0.6), (0.05, 0.8), (0.2, 0.6), (0.1, 0.8))
)
CASES = {
    "LX + WOM-v(2,4)": ({**LX, "reuse.scheme": "wom-v", "reuse.data_bits": 2}, ("home", "mail", "web")),
    "LX + second writes to 0.3": ({**LX, **SECOND_WRITES}, ("home", "mail")),
    "differentiated ECC + second writes to 0.3": (
        {**EFFORT, **SECOND_WRITES}, ("uniform:read=0.2", "zipf:theta=0.9,read=0.2"),
    ),
    "seal, 300 cycles": (SEAL, OVERWRITES),
    "seal, 1,000 cycles": ({**SEAL, "flash.endurance_cycles": 1000}, OVERWRITES),
    "seal, 3,000 cycles": ({**SEAL, "flash.endurance_cycles": 3000}, OVERWRITES),
}  # fmt: skip


def main() -> None:
    """Prints a row a case: drive writes followed and extrapolated, and the error."""
    for name in sys.argv[1:] or CASES:
        settings, loads = CASES[name]
        drive = rewear.Drive.from_toml(DRIVE, set=settings)
        for load in loads:
            options = {"precondition": "fill", "no_time": True}
            if load in recordings():
                source = rewear.Trace(recordings()[load])
                options |= {"fit": "modulo"}
                followed = drive.replay(source, loops=2**31, **options)
                steady = drive.replay(source, loops=4, until="steady", **options)
            else:
                followed = drive.replay(rewear.Workload(f"{load},requests=4000000000"), **options)
                steady = drive.replay(rewear.Workload(f"{load},requests=400000"), until="steady", **options)
            lives = [report.life["drive_writes"] for report in (followed, steady)]
            print(f"| {name} | {load} | {lives[0]:.1f} | {lives[1]:.1f} | {lives[1] / lives[0] - 1:+.1%} |", flush=True)


if __name__ == "__main__":
    main()
