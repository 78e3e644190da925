#!/usr/bin/env python3
"""Visitors of the web server: they ask for pages, few of them often, and hand in works, each several times with small changes.

Seeded; which requests are made does not depend on times, their interleaving does.
"""

import argparse
import concurrent.futures
import http.client
import pathlib
import random

PORT = 8598


def visit(site: pathlib.Path, requests: int, seed: int) -> None:
    rng = random.Random(seed)
    # The same pages are the popular ones for everybody, and for every release as far as it has them.
    pages = sorted(str(path.relative_to(site)) for path in site.glob("**/*") if path.is_file())
    random.Random(1).shuffle(pages)
    works: dict[str, bytes] = {}
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
    for number in range(requests):
        if rng.random() < 0.02:
            name = f"work-{seed}-{rng.randrange(12)}"
            works[name] = edited(works.get(name), site / rng.choice(pages), rng)
            connection.request("PUT", f"/work/{name}", works[name])
        else:
            rank = min(int(rng.paretovariate(0.45)) - 1, len(pages) - 1)
            connection.request("GET", f"/{pages[rank]}", headers={"User-Agent": f"visitor/{seed} request {number}"})
        connection.getresponse().read()


def edited(work: bytes | None, source: pathlib.Path, rng: random.Random) -> bytes:
    """A first version from a file and some data; later ones change a few lines near the end."""
    if work is None:
        return rng.randbytes(rng.randrange(20_000, 300_000)) + source.read_bytes()
    cut = rng.randrange(len(work) * 3 // 4, len(work))
    return work[:cut] + f"\nversion {rng.randrange(1000)}\n".encode() + work[cut:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=pathlib.Path)
    parser.add_argument("--visitors", type=int, default=1)
    parser.add_argument("--requests", type=int, default=1000, help="of all visitors together")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    site = args.site.resolve()
    with concurrent.futures.ThreadPoolExecutor(args.visitors) as pool:
        share = args.requests // args.visitors
        jobs = [pool.submit(visit, site, share, args.seed * 100 + visitor) for visitor in range(args.visitors)]
    for job in jobs:
        job.result()


if __name__ == "__main__":
    main()
