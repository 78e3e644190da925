"""An interrupt is heard while a reader skips lines: progress is asked before the next request is found."""

import gzip
import time

import pytest
import rewear


class _StopError(Exception):
    """What the progress function raises."""


class _SecondReport:
    """Raises at the second report. Before, it waits until a further one is due."""

    def __init__(self):
        self.reports = []

    def __call__(self, state):
        self.reports.append(state)
        if len(self.reports) == 1:
            time.sleep(0.2)
        else:
            raise _StopError

    def was_heard_on_the_way(self):
        """Whether the second report came before all was read."""
        last = self.reports[-1]
        return len(self.reports) == 2 and last.done < last.total


def written(path, skipped):
    """A request, 256 MiB of lines that are none, and a request: reading them takes longer than two reports."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"time_ns,operation,offset_bytes,length_bytes\n1,write,0,4096\n")
        for _ in range(256):
            file.write(skipped)
        file.write(b"2,write,4096,4096\n")
    return path


@pytest.fixture(scope="module", params=[b"\n" * (1 << 20), b"this is no request at all\n" * 40_000])
def trace(request, tmp_path_factory):
    path = written(tmp_path_factory.mktemp("skipped") / "trace.csv.gz", request.param)
    return rewear.Trace(path, skip_bad_lines=True)


@pytest.mark.parametrize("what", ["info", "analyze"])
def test_a_reading_is_interrupted_among_lines_that_are_skipped(trace, what):
    progress = _SecondReport()
    with pytest.raises(_StopError):
        getattr(trace, what)(progress=progress)
    assert progress.was_heard_on_the_way()


@pytest.mark.parametrize("fit", [None, "dense"])
def test_a_replay_is_interrupted_among_lines_that_another_thread_skips(trace, fit):
    progress = _SecondReport()
    with pytest.raises(_StopError):
        rewear.Drive("qlc").replay(trace, fit=fit, progress=progress)
    assert progress.was_heard_on_the_way()
