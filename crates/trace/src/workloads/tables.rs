//! Generators and their parameters, for the parser of specifications and for
//! printing.

/// A parameter of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The key in a specification.
    pub name: &'static str,
    /// The value where none is given, in words where it depends on others.
    pub default: &'static str,
    /// The unit; empty for a plain number or a word.
    pub unit: &'static str,
    /// Meaning and range.
    pub meaning: &'static str,
}

/// A sort of workload.
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    /// The name in a specification, before the colon.
    pub name: &'static str,
    /// One sentence on the generator.
    pub summary: &'static str,
    /// Its own parameters; [`COMMON`] come in addition.
    pub parameters: &'static [Parameter],
}

impl Generator {
    /// All parameters of this generator: its own, then the common ones that it does not
    /// redefine.
    pub fn all_parameters(&self) -> impl Iterator<Item = &'static Parameter> {
        let own = self.parameters;
        own.iter().chain(COMMON.iter().filter(|common| own.iter().all(|row| row.name != common.name)))
    }
}

const fn row(
    name: &'static str,
    default: &'static str,
    unit: &'static str,
    meaning: &'static str,
) -> Parameter {
    Parameter { name, default, unit, meaning }
}

/// Parameters of `refill` with these defaults: the named micro-benchmarks differ in nothing else.
const fn refill(
    order: &'static str,
    part: &'static str,
    choose: &'static str,
    fill: &'static str,
) -> [Parameter; 4] {
    [
        row(
            "order",
            order,
            "",
            "passes over every chosen page, sequential (address order), permutation (a fresh seeded one each) or fixed-permutation (the same each); uniform: no passes; overlapping: back by 10 pages after every 100; windows: 100 pages in order from a multiple of 100, then 100 drawn from 100 neighbours, in turn (both as the WOM-v paper's released generators)",
        ),
        row(
            "part",
            part,
            "fraction",
            "part of the pages that is chosen to be rewritten, above 0 to 1, rounded to whole pages",
        ),
        row(
            "choose",
            choose,
            "",
            "which pages: contiguous (the first ones) or strided (evenly spread: of n pages of a region of m, the pages i*m/n, rounded down)",
        ),
        row("fill", fill, "", "true: first every page of the region is written once, in address order"),
    ]
}

/// The description that the synthetic traces share, behind the name of the trace.
macro_rules! stand_in {
    ($name:literal) => {
        concat!(
            "a synthetic trace in the likeness of the trace ",
            $name,
            " of the LX-SSD paper, at a tenth of its size: zipf with content=locality, set by hand to the published figures. docs/manual/traces.md has the comparison"
        )
    };
}

/// Parameters of the stand-ins for the traces of the LX-SSD paper: theta, pages, requests and read;
/// values, popularity, new, return, depth and churn.
const fn lx(requests: [&'static str; 4], content: [&'static str; 6]) -> [Parameter; 12] {
    let [theta, pages, count, read] = requests;
    let [values, popularity, new, returns, depth, churn] = content;
    let as_above = "as for all workloads";
    [
        row("theta", theta, "", "skew of the addresses, 0 (uniform) to 10"),
        row("scatter", "true", "", "as in zipf"),
        row("pages", pages, "pages", as_above),
        row("requests", count, "requests", as_above),
        row("read", read, "fraction", as_above),
        row("content", "locality", "", as_above),
        row("values", values, "contents", as_above),
        row("popularity", popularity, "", as_above),
        row("new", new, "fraction", as_above),
        row("return", returns, "fraction", as_above),
        row("depth", depth, "contents", as_above),
        row("churn", churn, "fraction", as_above),
    ]
}

/// Parameters of every generator.
pub static COMMON: &[Parameter] = &[
    row("pages", "the drive's pages", "pages", "size of the region that is addressed"),
    row("page_bytes", "the drive's page", "bytes", "alignment of addresses; at least 512, a multiple of 512"),
    row("offset_bytes", "0", "bytes", "where the region begins; a multiple of page_bytes"),
    row("requests", "a million", "requests", "length of the workload"),
    row(
        "volume_bytes",
        "-",
        "bytes",
        "length as data read and written, instead of requests: ends with the request that reaches it",
    ),
    row("read", "0", "fraction", "part of the requests that read, 0 to 1"),
    row(
        "size",
        "page_bytes",
        "bytes",
        "size of requests, or several with their weights: 4KiB*70/64KiB*30; multiples of 512",
    ),
    row(
        "arrival",
        "closed",
        "",
        "closed (all at once, for closed-loop replay), fixed, poisson, bursts or diurnal",
    ),
    row("rate", "1000", "requests/s", "mean rate of arrivals (in bursts: during a burst), unless closed"),
    row("on_s", "1", "s", "length of a burst (arrival=bursts)"),
    row("off_s", "1", "s", "pause between bursts (arrival=bursts)"),
    row("period_s", "86400", "s", "length of a day (arrival=diurnal)"),
    row("swing", "0.8", "fraction", "swing of the rate about its mean, as a sine, 0 to 1 (arrival=diurnal)"),
    row("seed", "1", "", "seed of the generator (xoshiro256++)"),
    row(
        "stream",
        "0",
        "",
        "placement identifier of the requests, 0 to 255 (ftl.streams.scheme=host makes use of it), or component: one for each component (hot-cold: 0 hot, 1 cold; jesd219: 0 hottest to 2 coldest; overwrite-regions: 1 overwrites; roles: 0 shared, 1 others; flash-cache: 0 small, 1 large objects; kv-cache: the number of the conversation modulo 8; zones: the active zone)",
    ),
    row(
        "content",
        "none",
        "",
        "what writes contain: none (unknown), or locality: equal contents come again as the parameters below say, drawn once a request",
    ),
    row(
        "values",
        "100000",
        "contents",
        "size of the pool of shared contents, at most 2^28 (content=locality)",
    ),
    row(
        "popularity",
        "1",
        "",
        "skew of the pool: the content of rank r is drawn with a probability proportional to 1/r^popularity, 0 to 10; the pages of a request take neighbouring ranks (content=locality)",
    ),
    row(
        "new",
        "0.5",
        "fraction",
        "part of the writes that neither repeat nor return that bring content which nobody has had; the others draw from the pool (content=locality)",
    ),
    row(
        "return",
        "0.1",
        "fraction",
        "part of the writes to a page with earlier contents that return to one of them (content=locality)",
    ),
    row(
        "depth",
        "2",
        "contents",
        "mean of how far back they return: 1 is the content before the present one; geometric, cut at the 8 that are remembered (content=locality)",
    ),
    row(
        "same",
        "0",
        "fraction",
        "part of the writes to a page with content that repeat it (content=locality)",
    ),
    row(
        "churn",
        "0",
        "fraction",
        "part of the draws from the pool that replace the content of their rank by a new one: popular contents live for 1/churn draws (content=locality)",
    ),
];

/// Every generator.
pub static GENERATORS: &[Generator] = &[
    Generator { name: "sequential", summary: "every page in order, again and again", parameters: &[] },
    Generator { name: "uniform", summary: "every page equally likely", parameters: &[] },
    Generator {
        name: "zipf",
        summary: "the page of rank r with a probability proportional to 1/r^theta",
        parameters: &[
            row("theta", "1", "", "skew, 0 (uniform) to 10"),
            row(
                "scatter",
                "true",
                "",
                "true: ranks are spread over the region by a seeded permutation; false: rank order is address order",
            ),
        ],
    },
    Generator {
        name: "hot-cold",
        summary: "a hot part of the pages gets most of the requests; uniform in either part",
        parameters: &[
            row("hot", "0.2", "fraction", "hot part of the pages, above 0 and below 1"),
            row("hits", "0.8", "fraction", "part of the requests that go to hot pages, 0 to 1"),
            row(
                "scatter",
                "true",
                "",
                "true: hot pages are spread over the region by a seeded permutation; false: they come first",
            ),
        ],
    },
    Generator {
        name: "jesd219",
        summary: "the places of JEDEC's endurance workload for drives in servers (JESD219, 2010): half of the requests to 5% of the pages, 30% to the next 15%, 20% to the rest",
        parameters: &[],
    },
    Generator {
        name: "roles",
        summary: "each extent of pages is only read, only written, or both, as in section III of the paper on workload-aware differentiated ECC",
        parameters: &[
            row("shared", "0.05", "fraction", "part of the pages that is both read and written, 0 to 1"),
            row(
                "only_read",
                "0.3",
                "fraction",
                "part of the pages that is only read, 0 to 1; the rest is only written",
            ),
            row("shared_hits", "0.1", "fraction", "part of the requests that go to shared pages, 0 to 1"),
            row("theta", "0.9", "", "skew of the extents within their role, 0 (uniform) to 10"),
            row("extent", "32", "pages", "neighbouring pages of the same role"),
            row(
                "phase",
                "0",
                "requests",
                "above 0: one half of the shared pages is only read and the other only written, and they change places after each `phase` requests",
            ),
        ],
    },
    Generator {
        name: "flash-cache",
        summary: "a cache as CacheLib lays it out: small objects rewrite buckets of one page anywhere in their part, large objects are written as whole regions in turn",
        parameters: &[
            row("small", "0.04", "fraction", "part of the pages that holds buckets of small objects, 0 to 1"),
            row(
                "small_writes",
                "0.5",
                "fraction",
                "part of the bytes written that goes to buckets, 0 to 1; depends on the objects, and published cache traces do not come with it",
            ),
            row(
                "region",
                "16MiB",
                "bytes",
                "a region of large objects, written by one request; a multiple of page_bytes, at most 4 GiB (CacheLib's default is 16 MiB)",
            ),
        ],
    },
    Generator {
        name: "zones",
        summary: "zones that are written from beginning to end and trimmed whole before they are written anew; a full one is followed by any other (SSD-iq, PVLDB 2025); what does not make a whole zone stays as it is",
        parameters: &[
            row("zone", "1GiB", "bytes", "size of a zone; a multiple of page_bytes, at most 16 TiB"),
            row(
                "active",
                "1",
                "zones",
                "zones that are written at a time, each request going to any of them; 1 to 256, fewer than there are",
            ),
            row(
                "trim",
                "true",
                "",
                "true: a zone is trimmed whole before it is written; false: it is written over",
            ),
        ],
    },
    Generator {
        name: "kv-cache",
        summary: "the key-value cache of a language model: turns of conversations read the blocks that they find and append new ones; the conversation that rested longest expires (Mooncake, FAST 2025)",
        parameters: &[
            row(
                "block",
                "1MiB",
                "bytes",
                "a block of 512 tokens, read, written and trimmed by one request; a multiple of page_bytes, at most 4 GiB (2 KiB a token, as Mooncake's storage benchmark has it)",
            ),
            row("used", "0.9", "fraction", "part of the pages that the cache fills, 0 to 1"),
            row("first", "20", "blocks", "mean length of a first prompt; geometric, 1 to 10000"),
            row("turn", "5", "blocks", "mean of what a further turn adds; geometric, 1 to 10000"),
            row(
                "turns",
                "1.67",
                "turns",
                "mean turns of a conversation, at least 1: with n of them the part 1 - 1/n of the turns goes on with one",
            ),
            row(
                "remembered",
                "10000",
                "conversations",
                "conversations that may go on; the d-th youngest does with a probability proportional to 1/d, which is our definition",
            ),
            row("reads", "true", "", "true: a turn reads the blocks that it finds"),
            row("trim", "true", "", "true: blocks that expire are trimmed; false: they are written over"),
            row(
                "content",
                "none",
                "",
                "what blocks contain: none (unknown), or hash: the content of a block follows from its conversation and its place in it, so a conversation that comes back after it has expired writes the same contents again",
            ),
        ],
    },
    Generator {
        name: "lx-home",
        summary: stand_in!("home"),
        parameters: &lx(["0.5", "2.6e5", "9.3e5", "0.062"], ["4000", "0.9", "0.66", "0.08", "4", "0.03"]),
    },
    Generator {
        name: "lx-mail",
        summary: stand_in!("mail"),
        parameters: &lx(["0.6", "1.2e5", "1.63e6", "0.247"], ["5000", "0.8", "0.63", "0.13", "6", "0.03"]),
    },
    Generator {
        name: "lx-web",
        summary: stand_in!("web"),
        parameters: &lx(["0.6", "8e4", "5.9e5", "0.175"], ["3000", "0.8", "0.6", "0.1", "3", "0.03"]),
    },
    Generator {
        name: "overwrite-regions",
        summary: "section V of Margaglia and Brinkmann's paper on extended P/E cycles: writes to one region, overwrites to another, uniform in either; requests counts those behind the warm-up",
        parameters: &[
            row(
                "region",
                "0.05",
                "fraction",
                "part of the pages, at the end, that is overwritten, above 0 and below 1",
            ),
            row("skew", "0.6", "fraction", "probability that a request overwrites, 0 to 1"),
            row("dataset_pages", "as pages", "pages", "both regions together: another name of pages"),
            row("writes", "as requests", "", "requests behind the warm-up: another name of requests"),
            row(
                "warmup",
                "true",
                "",
                "true: first every page is written (in the other region: overwritten) once, in order",
            ),
        ],
    },
    Generator {
        name: "refill",
        summary: "chosen pages are rewritten in passes or at random, one page a request and no reads; requests and volume_bytes count what follows the fill, a pass being as many requests as there are chosen pages",
        parameters: &refill("sequential", "1", "contiguous", "true"),
    },
    Generator {
        name: "stand-in",
        summary: "a workload in the likeness of a trace, from a profile that was measured from it or put together from published figures; the profile decides on places, sizes, operations and times, and with requests its course is as long as asked for",
        parameters: &[row(
            "profile",
            "-",
            "",
            "a stand-in that comes with Rewear, or the path of a profile in TOML",
        )],
    },
    Generator {
        name: "hot-s",
        summary: "refill as the micro-benchmark Hot-S of the WOM-v paper (section 4.1, Figure 4a): every page again and again in address order, the first pass being the fill",
        parameters: &refill("sequential", "1", "contiguous", "false"),
    },
    Generator {
        name: "hot-r",
        summary: "refill as its Hot-R: every page again and again in one random order, the first pass being the fill. The same order in each pass, which causes no garbage collection, is our definition",
        parameters: &refill("fixed-permutation", "1", "contiguous", "false"),
    },
    Generator {
        name: "cold",
        summary: "refill as its Cold: after the fill a fifth of the pages is rewritten, in address order. Fraction and place are our definition; the place matters much, so compare choose=strided",
        parameters: &refill("sequential", "0.2", "contiguous", "true"),
    },
    Generator {
        name: "low-gc",
        summary: "refill as its Low-GC (medium garbage collection): after the fill uniformly random rewrites of the first half of the pages. Our definition; the paper has none. That of the authors' released generator: hot-s:order=overlapping",
        parameters: &refill("uniform", "0.5", "contiguous", "true"),
    },
    Generator {
        name: "high-gc",
        summary: "refill as its High-GC (high garbage collection): after the fill uniformly random rewrites of all pages. Our definition; the paper has none. That of the authors' released generator: hot-s:order=windows",
        parameters: &refill("uniform", "1", "contiguous", "true"),
    },
];
