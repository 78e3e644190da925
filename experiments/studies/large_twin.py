"""A twin of 7.68 TB with a mapping of 4 KiB: what it takes of memory and processor.

    python experiments/studies/large_twin.py [--part 1] [--drive-writes 5]

The twin `warp-ssd-a` in its own size (flash of 9.58 TiB for 6.98 TiB exported), or a part of it,
is filled in order and written at random by requests of 128 KiB, as its measurement was. The whole
takes 18 GB. Of a part the time of the whole is foretold from the pages written a second.
"""

import argparse
import resource
import time

import rewear


def drive(part: float) -> rewear.Drive:
    """The twin with a part of its flash; erase units stay as many and are as much smaller."""
    small = rewear.Drive("warp-ssd-a")
    flash = small.configuration["flash"]
    here = next(each["value"] for each in small.derived if each["key"] == "physical_bytes")
    scale = small.configuration["twin"]["flash_bytes"] / here * part
    return rewear.Drive("warp-ssd-a", set={"flash.pages_per_block": round(flash["pages_per_block"] * scale)})


def main() -> None:
    """Replays and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", type=float, default=1.0, help="of the flash, up to 1")
    parser.add_argument("--drive-writes", type=float, default=5.0, help="capacities to write behind the fill")
    given = parser.parse_args()
    twin = drive(given.part)
    volume = int(given.drive_writes * twin.exported_bytes)
    begun = time.process_time()
    report = twin.replay(
        rewear.Workload(f"uniform:size=128KiB,volume_bytes={volume}"), precondition="fill", no_time=True
    )
    took_s = time.process_time() - begun
    written = twin.exported_bytes + volume
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    pages = report.derived["pages"]
    print(f"exported              {twin.exported_bytes / 1e12:.3f} TB, {pages:,} flash pages of 4 KiB")
    print(f"write amplification   {report.write_amplification:.3f} over {given.drive_writes:g} drive writes")
    print(f"resident memory       {resident / 1e9:.2f} GB, {resident / pages:.2f} bytes a flash page")
    print(
        f"processor             {took_s:.0f} s, {written / 4096 / took_s / 1e6:.2f} million pages of the host a second"
    )
    print(f"the whole             {resident / given.part / 1e9:.1f} GB, {took_s / given.part / 60:.0f} min")


if __name__ == "__main__":
    main()
