"""Every claim of the papers: the experiment behind it, its figure, and a verdict.

Examples:
    >>> from rewear.reproduce import papers_folder, read_papers
    >>> papers = read_papers(papers_folder())
    >>> papers["wom-v"].about.venue
    "FAST '22"

`reproduce(["womv.F5"])` runs what is not finished yet and gives a `Reproduction`; `docs/manual/reproduce.md` describes
the files of `experiments/papers/`.
"""

from rewear.reproduce.claims import read_claims
from rewear.reproduce.paper import papers_folder, read_papers
from rewear.reproduce.result import Reproduction
from rewear.reproduce.run import Progress, reproduce

__all__ = ["Progress", "Reproduction", "papers_folder", "read_claims", "read_papers", "reproduce"]
