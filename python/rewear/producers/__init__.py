"""Producers of data that only ever clears bits, for a drive that programs pages again in place.

Extended P/E cycles (`reuse.scheme = "seal"`) leave it to the host to say which data can be overwritten. Three kinds
of such data, each a small library over a `rewear.Device`:

- `AppendNode`: a page of records that are appended, the leaf of a log-structured B-tree;
- `BloomFilter`: a set whose bits are only ever cleared;
- `WomStore`: blocks of any data, each written twice by the code of Rivest and Shamir.

With `overwrite=False` the same producers use the ordinary write command, for comparison.

Examples:
    >>> import rewear
    >>> from rewear.producers import BloomFilter
    >>> small = {"flash.blocks_per_plane": 10, "flash.page_bytes": 512, "ftl.over_provisioning": 1.0}
    >>> device = rewear.Device("openssd", set={"reuse.scheme": "seal", **small})
    >>> seen = BloomFilter(device, first_page=0, pages=4, hashes=4)
    >>> seen.add(b"a key")
    >>> seen.flush()
    >>> b"a key" in seen, b"another" in seen
    (True, False)
"""

from rewear.producers.append_node import AppendNode, NodeFullError
from rewear.producers.bloom_filter import BloomFilter
from rewear.producers.pages import Pages
from rewear.producers.wom_store import WomStore

__all__ = ["AppendNode", "BloomFilter", "NodeFullError", "Pages", "WomStore"]
