//! Questions about the codes, on real bits or by closed forms.

use pyo3::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::ecc_limits;
use rewear_codes::measure::{self, Reading, RetryRow, Table2Row, Watch};
use rewear_codes::polar_wom::{FIELD_BYTES, PageCode, Preset, first_write, read_first_write};
use rewear_codes::rivest_shamir::{self, Generation, Table};
use rewear_codes::wom_v::{self, Code, DataModel, EccCheck, EccThreshold};
use serde::{Deserialize, Serialize};

use crate::errors::code_error;

/// A polar code's success at a storage (`second-write`, Table 2).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table2 {
    /// What the storage counts.
    #[serde(default = "clean_spare")]
    reading: Reading,
    /// Percent of the logical page, 100 to below 300.
    storage_percent: f64,
    /// Length of the code, a power of two; 65536 are two pages of 4 KB.
    #[serde(default = "two_pages")]
    cells: usize,
    /// Pairs of pages.
    trials: usize,
    seed: u64,
}

fn clean_spare() -> Reading {
    Reading::CleanSpare
}

fn two_pages() -> usize {
    1 << 16
}

/// A row of Table 2 of `second-write` on pages of random data.
pub(super) fn table_2(of: Table2, watch: &mut Watch<'_>) -> PyResult<Table2Row> {
    let Table2 { reading, storage_percent, cells, trials, seed } = of;
    check_storage(storage_percent)?;
    measure::measure_table_2_row(reading, storage_percent, cells, trials, seed, watch).map_err(code_error)
}

/// Retries at a storage, in percent of the logical page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Retries {
    storage_percent: f64,
    trials: usize,
    seed: u64,
}

/// Success of a retry on the same pages (`second-write`, section 5.6), by dither and by rotation.
pub(super) fn retries(of: Retries, watch: &mut Watch<'_>) -> PyResult<RetryRow> {
    check_storage(of.storage_percent)?;
    measure::measure_retries(of.storage_percent, of.trials, of.seed, watch).map_err(code_error)
}

fn check_storage(storage_percent: f64) -> PyResult<()> {
    if (100.0..300.0).contains(&storage_percent) {
        return Ok(());
    }
    Err(code_error(format!("storage_percent = {storage_percent} is impossible; choose 100 to below 300")))
}

/// Pages of a second write in bytes, with the spare area of a preset.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pages {
    page_bytes: usize,
    preset: Preset,
}

/// Sizes of a second write.
#[derive(Serialize)]
pub(super) struct Sizes {
    page_bytes: usize,
    raw_bytes: usize,
    spare_bytes: usize,
    polar_bytes: usize,
}

/// Where the bits of a second write go (`second-write`, figure 4).
pub(super) fn page_code(of: Pages, _: &mut Watch<'_>) -> PyResult<Sizes> {
    let code = PageCode::new(of.page_bytes, of.preset).map_err(code_error)?;
    Ok(Sizes {
        page_bytes: code.page_bytes(),
        raw_bytes: code.raw_bytes(),
        spare_bytes: code.spare_bytes(),
        polar_bytes: code.polar_bytes(),
    })
}

/// How many first writes, on pages of how many bytes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FirstWrites {
    pages: u32,
    page_bytes: usize,
    seed: u64,
}

/// What first writes came to.
#[derive(Serialize)]
pub(super) struct FirstWritten {
    most_ones_share: f64,
    wrong: u32,
    some_complemented: bool,
}

/// First writes of random, dense and full pages by turns (`second-write`, section 3): the largest
/// share of programmed cells, and pages that were not read back.
pub(super) fn first_writes(of: FirstWrites, watch: &mut Watch<'_>) -> PyResult<FirstWritten> {
    if of.page_bytes > 1 << 20 {
        return Err(code_error(format!("page_bytes = {}: choose at most 1048576", of.page_bytes)));
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(of.seed);
    let mut data = vec![0; of.page_bytes];
    let (mut page, mut read, mut more) = (data.clone(), data.clone(), data.clone());
    let mut found = FirstWritten { most_ones_share: 0.0, wrong: 0, some_complemented: false };
    let ones = |bytes: &[u8]| bytes.iter().map(|byte| byte.count_ones() as usize).sum::<usize>();
    for number in 0..of.pages {
        if !watch(number.into(), of.pages.into()) {
            break;
        }
        rng.fill_bytes(&mut data);
        match number % 3 {
            1 => {
                rng.fill_bytes(&mut more);
                data.iter_mut().zip(&more).for_each(|(byte, more)| *byte |= more);
            }
            2 => data.fill(u8::MAX),
            _ => {}
        }
        let mut field = [0; FIELD_BYTES];
        let complemented = first_write(&data, &mut page, &mut field).map_err(code_error)?;
        read_first_write(&page, field, &mut read).map_err(code_error)?;
        let right = read == data && complemented == (2 * ones(&data) > 8 * data.len());
        found.wrong += u32::from(!right);
        found.some_complemented |= complemented;
        found.most_ones_share = found.most_ones_share.max(ones(&page) as f64 / (8 * page.len()) as f64);
    }
    Ok(found)
}

/// A printed table of the code of Rivest and Shamir.
#[derive(Deserialize, Clone, Copy)]
#[serde(deny_unknown_fields)]
pub(super) struct Printed {
    table: PrintedIn,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PrintedIn {
    SecondWrite,
    Seal,
}

/// The table and its rows.
#[derive(Serialize)]
pub(super) struct PrintedTable {
    table: &'static str,
    rows: Vec<PrintedRow>,
}

#[derive(Serialize)]
struct PrintedRow {
    data: String,
    first: String,
    second: String,
}

/// The codewords of both generations, as printed: the leftmost bit is the highest.
pub(super) fn rivest_shamir(of: Printed, _: &mut Watch<'_>) -> PyResult<PrintedTable> {
    let table = match of.table {
        PrintedIn::SecondWrite => Table::SECOND_WRITE,
        PrintedIn::Seal => Table::SEAL,
    };
    let row = |data| PrintedRow {
        data: format!("{data:02b}"),
        first: format!("{:03b}", table.codeword(Generation::First, data)),
        second: format!("{:03b}", table.codeword(Generation::Second, data)),
    };
    Ok(PrintedTable { table: table.name(), rows: (0..4).map(row).collect() })
}

impl Printed {
    pub(super) const ALL: [Printed; 2] =
        [Printed { table: PrintedIn::SecondWrite }, Printed { table: PrintedIn::Seal }];
}

/// Messages, and binary cells that hold them.
#[derive(Deserialize, Clone, Copy)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    pub(super) messages: u32,
    pub(super) cells: u32,
}

/// What a search found.
#[derive(Serialize)]
pub(super) struct Found {
    messages: u32,
    cells: u32,
    max_generations: u32,
}

/// The most generations of any binary WOM code, by exhaustive search.
pub(super) fn max_generations(of: Search, _: &mut Watch<'_>) -> PyResult<Found> {
    let Search { messages, cells } = of;
    let max_generations = rivest_shamir::max_generations(messages, cells).map_err(code_error)?;
    Ok(Found { messages, cells, max_generations })
}

/// WOM-v(k, n).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WomV {
    k: u8,
    n: u8,
}

/// A WOM-v code.
#[derive(Serialize)]
pub(super) struct WomVCode {
    code: String,
    k: u8,
    n: u8,
    generations: u32,
    generation_bits: u32,
    max_level: u8,
    /// The table of `wom-v`, figure 2: a line a level, highest first.
    table: String,
}

/// What a WOM-v code is.
pub(super) fn wom_v(of: WomV, _: &mut Watch<'_>) -> PyResult<WomVCode> {
    let code = Code::new(of.k, of.n).map_err(code_error)?;
    Ok(WomVCode {
        code: code.to_string(),
        k: of.k,
        n: of.n,
        generations: code.generations(),
        generation_bits: code.generation_bits(),
        max_level: code.max_level(),
        table: code.table(),
    })
}

/// Writes that a page takes between two erases.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WomVWrites {
    k: u8,
    n: u8,
    /// Cells of the page, or of the erase unit for `unit`.
    #[serde(default = "cells")]
    cells: usize,
    #[serde(default)]
    ecc_check: Check,
    /// Limit on invalid cells, 0 to below 1.
    #[serde(default = "paper_share")]
    max_invalid_share: f64,
    /// Probability that a later write flips a bit; fresh random data without it.
    flip_rate: Option<f64>,
}

fn cells() -> usize {
    8192
}

fn paper_share() -> f64 {
    EccThreshold::PAPER.max_invalid_share
}

/// Where the limit on invalid cells is checked.
#[derive(Deserialize, Serialize, Clone, Copy, Default)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Check {
    /// One write a generation.
    NoRead,
    Pre,
    #[default]
    Post,
    LastGeneration,
    Unit,
}

/// The mean number of writes.
#[derive(Serialize)]
pub(super) struct Writes {
    mean: f64,
}

/// Cells a distribution is computed for; an erase unit of a large drive has fewer.
const MAX_CELLS: usize = 1 << 40;

/// Writes of a page between two erases, by the mathematics of one cell.
pub(super) fn wom_v_writes(of: WomVWrites, _: &mut Watch<'_>) -> PyResult<Writes> {
    let code = Code::new(of.k, of.n).map_err(code_error)?;
    if !(1..=MAX_CELLS).contains(&of.cells) {
        return Err(code_error(format!("{} cells; choose 1 to {MAX_CELLS}", of.cells)));
    }
    if !(0.0..1.0).contains(&of.max_invalid_share) {
        let share = of.max_invalid_share;
        return Err(code_error(format!("max_invalid_share = {share}; choose 0 to below 1")));
    }
    if let Some(rate) = of.flip_rate.filter(|rate| !(0.0..=1.0).contains(rate)) {
        return Err(code_error(format!("flip_rate = {rate} is no probability; choose 0 to 1")));
    }
    let model = of.flip_rate.map_or(DataModel::Random, DataModel::BitFlips);
    Ok(Writes { mean: mean_writes(code, of.cells, of.ecc_check, of.max_invalid_share, model) })
}

/// The mean of [`wom_v::WriteCounts`].
pub(super) fn mean_writes(code: Code, cells: usize, check: Check, share: f64, model: DataModel) -> f64 {
    let check = match check {
        Check::NoRead => return wom_v::WriteCounts::no_read(code).mean(),
        Check::Pre => EccCheck::Pre,
        Check::Post => EccCheck::Post,
        Check::LastGeneration => EccCheck::LastGeneration,
        Check::Unit => EccCheck::Unit,
    };
    wom_v::WriteCounts::new(code, cells, model, EccThreshold { check, max_invalid_share: share }).mean()
}

/// A code on a drive under uniformly random writes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EraseFactor {
    /// Shares of the plain drive's capacity that the data takes.
    fullness: Vec<f64>,
    /// What the code leaves of the capacity.
    rate: f64,
    /// Writes of a page between two erases.
    writes: f64,
}

/// Erases over those of the plain drive, for each fullness; null where the data does not fit.
pub(super) fn erase_factor(of: EraseFactor, _: &mut Watch<'_>) -> PyResult<Vec<Option<f64>>> {
    if !(of.rate > 0.0 && of.rate <= 1.0) || of.writes.is_nan() || of.writes < 1.0 {
        return Err(code_error(format!(
            "rate = {}, writes = {}: choose a rate from 0 to 1, at least one write.",
            of.rate, of.writes
        )));
    }
    if let Some(share) = of.fullness.iter().find(|share| !(**share > 0.0 && **share < 1.0)) {
        return Err(code_error(format!(
            "fullness = {share} is no share. Choose a number above 0 and below 1."
        )));
    }
    Ok(of.fullness.iter().map(|&share| relative_erases(share, of.rate, of.writes)).collect())
}

/// Block erases under a code over those of the plain drive; `None` where the data does not fit.
///
/// The setting is that of Yaakobi, Yucovich, Maor and Yadgar, "When do WOM codes improve the erasure
/// factor in flash memories?", ISIT 2015: pages are rewritten uniformly at random, cleaning takes
/// the block with the fewest valid pages, and a code stores a share `rate` of what the cells would
/// hold, `writes` times between two erases. With data filling a share a of all slots, a victim's
/// share of valid pages v solves a = (v - 1) / ln v, and each pass over a block takes 1 - v new
/// pages. The equations are derived from that; they are not copied from the paper, and give a
/// different bound on the fullness (0.575, where its abstract has 0.6442 for two writes of rate
/// 0.77).
pub(super) fn relative_erases(fullness: f64, rate: f64, writes: f64) -> Option<f64> {
    let factor = |share: f64, rate: f64, writes: f64| {
        let pages_of_a_pass = 1.0 - victim_valid_share(share / rate);
        1.0 / (writes * rate * pages_of_a_pass)
    };
    (fullness < rate).then(|| factor(fullness, rate, writes) / factor(fullness, 1.0, 1.0))
}

/// Share of valid pages of the victims of greedy cleaning, when data fills a share `fullness`.
fn victim_valid_share(fullness: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let middle: f64 = (low + high) / 2.0;
        if (middle - 1.0) / middle.ln() < fullness { low = middle } else { high = middle }
    }
    low
}

/// Bits of a codeword, errors that are corrected, and raw bit error rates.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tail {
    bits: u64,
    t: u64,
    rbers: Vec<f64>,
}

/// Beyond this the sums take too long and lose their digits.
const MAX_BITS: u64 = 1 << 32;

/// The probability of more than t errors at each rate: the frame error rate of a BCH code.
pub(super) fn binomial_tail(of: Tail, _: &mut Watch<'_>) -> PyResult<Vec<f64>> {
    if of.bits > MAX_BITS {
        return Err(code_error(format!("{} bits are too many; choose at most {MAX_BITS}", of.bits)));
    }
    if let Some(rate) = of.rbers.iter().find(|rate| !(0.0..=1.0).contains(*rate)) {
        return Err(code_error(format!("{rate} is no probability; choose 0 to 1")));
    }
    Ok(of.rbers.iter().map(|&rate| ecc_limits::ln_binomial_tail(of.bits, rate, of.t).exp()).collect())
}
