"""Which of the papers' traces a folder has: by the checksum of a file, by its counts, or by its name alone."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from rewear.reproduce.real_traces import RealTraces
from rewear.reproduce.sources import Counts, Originals, Source

_SHARE = 0.02
"""How far the share of reads may lie from the published one: tables have whole percents, mirrors leave lines out."""


def found_traces(sources: Iterable[Source], originals: Originals, counts: Counts, known: RealTraces) -> Iterator[str]:
    """A line for each file that takes the place of a stand-in, then what is missing and what nobody asked for.

    Args:
        sources: The traces of the papers, each once.
        originals: The folder; nothing is said without one.
        counts: Requests of files.
        known: Files whose results are published, with their checksums.
    """
    if originals.folder is None:
        return
    missing = []
    for source in sorted(sources, key=lambda each: each.name):
        if source.is_original and source.file is not None:
            yield f"{source.name}: {source.file}. {_known_by(source, source.file, counts, known)}"
        else:
            missing.append(f"{source.name} ({', '.join(source.patterns)})")
    if missing:
        yield f"Not found in {originals.folder}: {', '.join(missing)}."
    if originals.unmatched:
        yield f"Not asked for: {', '.join(file.name for file in originals.unmatched)}."


def _known_by(source: Source, file: Path, counts: Counts, known: RealTraces) -> str:
    with file.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    listed = next((trace for trace in known.traces if trace.sha256 == digest), None)
    if listed is not None:
        return f"By its checksum: {listed.what}."
    requests, reads = counts.requests(file), counts.reads(file)
    if source.published_requests is None:
        return f"By its name alone: {requests:,} requests; nothing is published of them."
    if source.cut_to is not None:
        return f"By its name alone: a head of {requests:,} of {source.published_requests:,} requests."
    share = reads / max(1, requests)
    told = f"{requests:,} requests (published: {source.published_requests:,}), {share:.1%} reads"
    if source.published_reads is None:
        return f"By its counts: {told}."
    told += f" ({source.published_reads:.1%})"
    if abs(share - source.published_reads) <= _SHARE:
        return f"By its counts: {told}."
    return f"By its name, not by its counts: {told}. Is it another trace?"
