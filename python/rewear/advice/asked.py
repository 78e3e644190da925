"""The requested workload and its replays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewear.advice.plan import Plan
from rewear.advice.sizing import Sized
from rewear.advice.traits import Traits
from rewear.core.bench import Replay, Say, replays
from rewear.core.drive import Drive, Source
from rewear.core.report import Report


@dataclass(frozen=True, slots=True)
class Asked:
    """What is replayed on every drive of an answer, and how."""

    source: Source
    traits: Traits
    bytes_per_second: float | None = None
    """What the host writes a second; `None` where years cannot be said."""
    jobs: int | None = None
    """Replays at a time; the number of cores unless given."""
    progress: Say | None = None

    def until_steady(
        self, named: Sequence[tuple[str, Sized]], plan: Plan, most: Mapping[str, int] | None = None, **more: Any
    ) -> dict[str, Report]:
        """The reports by name. Each drive is full at the start, and is replayed until it is steady.

        `most` has the requests after which a drive's replay ends in any case, where that is before the plan's.
        """
        options = {
            "precondition": "fill",
            "fit": plan.fit,
            "loops": plan.loops,
            "until": "steady",
            "max_requests": plan.max_requests,
            "warm_up": plan.warm_up or None,
            **more,
        }
        each = {label: {"max_requests": requests} for label, requests in (most or {}).items()}
        return self.replayed([(label, sized.drive) for label, sized in named], each, **options)

    def replayed(
        self, named: Sequence[tuple[str, Drive]], each: Mapping[str, Mapping[str, Any]] | None = None, **options: Any
    ) -> dict[str, Report]:
        """The reports by name of drives that replay the same side by side; `each` has options of single ones."""
        tasks = [
            Replay(label, drive, self.source, {**options, **(each or {}).get(label, {})}) for label, drive in named
        ]
        return dict(zip([label for label, _ in named], replays(tasks, self.jobs, self.progress), strict=True))
