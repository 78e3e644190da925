//! The figures that have a title or a formula.

use rewear_ftl::state::events::Events;

use super::Better::{Higher, Lower, Neither};
use super::Unit::{Bytes, Count, Energy, Number, Ratio, Rounded, Share, Time, Years};
use super::{Figure, Shown};

/// The figures with a title, by the heading of their table and in its order.
pub(super) fn titled() -> [(&'static str, Vec<Figure>); 10] {
    [
        ("Capacity", capacity()),
        ("Wear", wear()),
        ("Life under this workload", life()),
        ("Writes", writes()),
        ("Memory", vec![Figure::new("controller_bytes", "controller RAM", Bytes, Lower)
            .at("derived.controller_bytes")
            .means("Memory of the controller: the map and the tables of the schemes, without buffers for data.")]),
        ("Energy (estimate)", energy()),
        ("Response time", responses()),
        ("Read response time", latencies("read")),
        ("Write response time", latencies("write")),
        ("Wait of flushes", latencies("flush")),
    ]
}

fn capacity() -> Vec<Figure> {
    vec![
        Figure::new("exported_bytes", "exported to the host", Bytes, Higher)
            .at("derived.exported_bytes")
            .means("Capacity that the host can write."),
        Figure::new("physical_bytes", "flash it takes", Bytes, Lower)
            .at("derived.physical_bytes")
            .means("Raw flash: what is exported and the spare space."),
        Figure::new("flash_per_exported_byte", "flash for a byte exported", Ratio, Lower)
            .at("derived.physical_bytes / derived.exported_bytes")
            .means("Raw flash over exported capacity: what a byte costs."),
        Figure::new("cleaning_spare_bytes", "spare flash for cleaning", Bytes, Neither)
            .at("(derived.spare_units_per_pool - derived.reserved_units_per_pool) * derived.pools \
                 * derived.logical_pages_per_erase_unit * derived.logical_page_bytes")
            .means(
                "Bytes that fit the flash beside the exported ones, without the erase units that cleaning keeps \
                 free. Write amplification follows from it rather than from the raw flash: larger units leave less.",
            ),
    ]
}

fn wear() -> Vec<Figure> {
    vec![
        Figure::new("flash_erased_per_byte", "flash erased for a byte written", Ratio, Lower)
            .means(
                "The size of a block for each erase, and of the cycle that each block has begun the part used, over \
                 the bytes that the host wrote: blocks of any size compare.",
            )
            .takes_length(),
        Figure::new("long_run_flash_erased_per_byte", "flash erased for a byte written in the long run", Ratio, Lower)
            .at("long_run.flash_erased_per_byte")
            .means(
                "The same in the second half of the run. A drive is steady where its last quarter erased no more than \
                 5% more or less flash for a byte written than the one before.",
            )
            .takes_length(),
        Figure::new("flash_erased_bytes", "flash erased", Bytes, Neither),
        Figure::new("pe_cycles_mean", "P/E cycles of a block, mean", Ratio, Lower)
            .at("pe_cycles.mean")
            .takes_length(),
        Figure::new("pe_cycles_most", "P/E cycles of the most worn block", Count, Lower)
            .at("pe_cycles.most")
            .takes_length(),
        Figure::new("wear_spread", "wear spread (std / mean)", Share, Lower)
            .at("erases_per_block.stddev / erases_per_block.mean")
            .means("Standard deviation over mean of the erases of the blocks: 0 is perfectly even.")
            .takes_length(),
        Figure::new("bytes_folded", "folded from the SLC cache", Bytes, Lower)
            .at("slc_cache.bytes_folded or 0")
            .shown(Shown::NotZero),
        Figure::new("erases", "blocks erased", Count, Neither).shown(Shown::Named),
        Figure::new("erases_in_second_half", "of these, in the second half", Count, Neither).shown(Shown::Named),
        Figure::new("erase_equivalents", "blocks erased and cycles begun", Rounded, Neither).shown(Shown::Named),
    ]
}

fn life() -> Vec<Figure> {
    vec![
        Figure::new("life_tbw_bytes", "written until it dies", Bytes, Higher)
            .at("life.tbw_bytes")
            .takes_length(),
        Figure::new("life_drive_writes", "drive writes", Rounded, Higher)
            .at("life.drive_writes")
            .means(
                "Exported capacities written until worn-out blocks leave less flash than the capacity \
                 needs.",
            )
            .takes_length(),
        Figure::new("life_dwpd", "drive writes per day, for five years", Number, Higher)
            .at("life.drive_writes_per_day")
            .means("Drive writes over the days of five years: the DWPD of data sheets.")
            .takes_length(),
        Figure::new("life_years", "at the rate of the run", Years, Neither).at("life.years"),
    ]
}

fn writes() -> Vec<Figure> {
    let mut all = vec![
        Figure::new("write_amplification", "write amplification", Ratio, Lower)
            .means(
                "Bytes programmed into cells for each byte that the host wrote, whatever they were programmed for. \
                 What a code adds is in it, and also given apart: a code that programs two pages for one has a \
                 factor of 2.",
            )
            .takes_length(),
        Figure::new("write_amplification_of_data", "of data, without what the code adds", Ratio, Lower)
            .takes_length(),
        Figure::new("code_expansion", "what the code adds (factor)", Ratio, Neither),
        Figure::new("pages_moved", "pages moved by cleaning", Count, Lower),
        Figure::new("victim_valid_share", "valid pages of victims", Share, Lower)
            .means("The share of pages that cleaning finds still in use in the blocks it takes, and has to move."),
    ];
    let not_zero = |key: &str, path: &str, title: &str, better| {
        Figure::new(key, title, Count, better).at(path).shown(Shown::NotZero)
    };
    all.extend([
        not_zero("second_writes", "second_writes.written", "second writes", Neither),
        not_zero("encoding_failures", "second_writes.encoding_failures", "encodings that failed", Neither),
        not_zero("pages_rewritten", "pages_rewritten", "pages rewritten", Lower),
        not_zero("reprograms", "reprograms", "programs without an erase", Neither),
    ]);
    all.extend(Events::TITLED.iter().map(|&(key, title, better)| not_zero(key, key, title, better)));
    all.extend([
        not_zero("seals", "seals", "erase units sealed", Neither),
        not_zero("erase_suspensions", "erase_suspensions", "erases suspended", Neither),
    ]);
    all
}

fn energy() -> Vec<Figure> {
    [
        ("energy_j", "total", "flash and channels"),
        ("energy_erases_j", "erases", "of this, erases"),
        ("energy_moved_j", "moved", "of this, moving pages"),
    ]
    .map(|(key, cause, title)| Figure::new(key, title, Energy, Lower).at(&format!("energy_j.{cause}")))
    .into()
}

/// A rate by the clock of the replay: what the drive can do only in a closed loop.
fn rate(key: &str, title: &str, path: &str) -> Figure {
    Figure::new(key, title, Number, Neither).at(path).shown(Shown::NotZero)
}

fn responses() -> Vec<Figure> {
    vec![
        Figure::new("mean_response_ns", "mean of all requests", Time, Lower),
        rate("iops", "IOPS", "(requests.read + requests.write) / simulated_ns * 1000000000")
            .means("Reads and writes in a second of simulated time."),
        rate("read_mb_per_s", "MB/s read", "host_bytes_read / simulated_ns * 1000")
            .means("Bytes that reads asked for in a second of simulated time, in millions."),
        rate("write_mb_per_s", "MB/s written", "host_bytes_written / simulated_ns * 1000")
            .means("Bytes that writes carried in a second of simulated time, in millions."),
        rate(
            "outstanding_mean",
            "requests outstanding, mean",
            "(requests.read + requests.write) * mean_response_ns / simulated_ns",
        )
        .means("Reads and writes in service or waiting, by Little's law: the queue depth in a closed loop."),
        Figure::new("queue_mean", "mean queue at arrivals", Ratio, Lower).at("queues.mean"),
        Figure::new("queue_p99", "99th percentile of it", Count, Lower).at("queues.p99"),
    ]
}

fn latencies(kind: &str) -> Vec<Figure> {
    [("mean", "mean"), ("p95", "95th percentile"), ("p99", "99th percentile")]
        .map(|(field, title)| {
            Figure::new(&format!("{kind}_{field}_ns"), title, Time, Lower)
                .at(&format!("latency_ns.{kind}.{field}"))
        })
        .into()
}

/// Ratios that papers plot. They are named by claims and sweeps, and no table has them.
pub(super) fn ratios() -> Vec<Figure> {
    const GIB: &str = "1073741824";
    let moved_bytes = "pages_moved * derived.logical_page_bytes";
    let ratio = |key: &str, path: &str, sentence: &str| {
        Figure::new(key, key, Number, Neither).at(path).means(sentence).shown(Shown::Named)
    };
    vec![
        ratio("moved_gib", &format!("{moved_bytes} / {GIB}"), "GiB that cleaning moved."),
        ratio(
            "moved_mib_per_collection",
            &format!("{moved_bytes} / 1048576 / garbage_collections"),
            "MiB that cleaning moved for each victim.",
        ),
        ratio("erased_gib", &format!("erase_equivalents * derived.block_bytes / {GIB}"), "GiB erased."),
        ratio(
            "writes_removed",
            "(writes_recycled + writes_deduplicated) / host_pages_written",
            "Share of host writes answered without a program.",
        ),
        ratio(
            "reprogrammed_share",
            "reprograms / overwrites",
            "Share of overwrites that were programs without an erase.",
        ),
        ratio(
            "flash_reads_per_host_read",
            "pages_read.host / host_pages_read",
            "Flash pages read for a page that the host read.",
        ),
        ratio(
            "moved_per_host_page",
            "pages_moved / host_pages_written",
            "Pages moved for a page that the host wrote.",
        ),
        ratio("planes_busy", "utilisation.planes", "Mean share of the time that planes were busy."),
        ratio(
            "second_write_share",
            "(second_writes.written or 0) / host_pages_written",
            "Share of host writes that were second writes.",
        ),
        ratio(
            "second_read_share",
            "(second_writes.read or 0) / host_pages_read",
            "Share of host reads that read a second write.",
        ),
        ratio(
            "most_blocks_over_2r",
            "(second_writes.most_blocks or 0) / (2 * (derived.blocks - derived.exported_pages \
             * derived.flash_pages_per_logical_page / (derived.pages / derived.blocks)))",
            "Most blocks recycled or reused at a time, over twice the spare blocks (Reusable SSD, section 4).",
        ),
    ]
}
