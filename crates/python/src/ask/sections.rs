//! The sections of `rewear codes`: the papers' tables beside what is measured on real bits.
//!
//! A section is some tables, a table some rows, and each row is worked out by itself, from any
//! thread. Rows draw from neighbouring seeds, so that no two of them see the same pages.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::bch::Bch;
use rewear_codes::ecc_limits::{BchLimit, USUAL_UBER, largest_t, ln_binomial_tail};
use rewear_codes::ecc_measure::{LdpcDecoder, Trials, measure_bch, measure_ldpc};
use rewear_codes::flip_n_write::FlipNWrite;
use rewear_codes::ldpc::{Ldpc, MinSum};
use rewear_codes::measure::{Mean, Reading, Watch, measure_retries, measure_table_2_row, measure_wom_v_code};
use rewear_codes::mlc_cell::{self, Effect, Page, State};
use rewear_codes::wom_v::{Code, DataModel, EccThreshold};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Nothing;
use super::codes::{Check, Printed, Search, max_generations, mean_writes, relative_erases, rivest_shamir};
use crate::errors::{code_error, configuration_error};

/// Page pairs, pages or codewords behind every measured figure, and the seed of what is drawn.
#[derive(Clone, Copy)]
struct Effort {
    samples: u32,
    seed: u64,
}

type Row = Box<dyn Fn(Effort, &mut Watch<'_>) -> PyResult<Value>>;
type Tables = Vec<(&'static str, Vec<Row>)>;

type Section = (&'static str, fn() -> Tables);

/// The sections in their order.
const SECTIONS: [Section; 7] = [
    ("rivest-shamir", rivest_shamir_section),
    ("polar-wom", polar_wom),
    ("wom-v", wom_v),
    ("flip-n-write", flip_n_write),
    ("mlc-cell", mlc_cell_section),
    ("bch", bch),
    ("ldpc", ldpc),
];

/// The names of the sections in their order, and of each table its rows.
pub(super) fn sections(Nothing {}: Nothing, _: &mut Watch<'_>) -> PyResult<Vec<(&'static str, Value)>> {
    let counts = |tables: Tables| -> BTreeMap<&str, usize> {
        tables.into_iter().map(|(name, rows)| (name, rows.len())).collect()
    };
    Ok(SECTIONS.iter().map(|(name, tables)| (*name, json!(counts(tables())))).collect())
}

/// A row of a table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RowOf {
    section: String,
    table: String,
    row: usize,
    samples: u32,
    seed: u64,
}

/// Works out one row.
pub(super) fn row(of: RowOf, watch: &mut Watch<'_>) -> PyResult<Value> {
    if !(1..=100_000_000).contains(&of.samples) {
        return Err(configuration_error(format!(
            "samples = {} is out of range. Choose 1 to 100,000,000.",
            of.samples
        )));
    }
    if of.seed >= 1 << 63 {
        return Err(configuration_error(format!(
            "seed = {} is out of range. Choose 0 to 2^63 - 1.",
            of.seed
        )));
    }
    let Some((_, tables)) = SECTIONS.iter().find(|(name, _)| *name == of.section) else {
        let names = SECTIONS.map(|(name, _)| name).join(", ");
        return Err(configuration_error(format!(
            "There is no section {:?}. There are: {names}.",
            of.section
        )));
    };
    let tables = tables();
    let found = tables.iter().find(|(name, _)| *name == of.table).and_then(|(_, rows)| rows.get(of.row));
    let Some(row) = found else {
        let problem = format!("Section {} has no row {} of a table {:?}.", of.section, of.row, of.table);
        return Err(configuration_error(format!("{problem} codes.sections counts them.")));
    };
    row(Effort { samples: of.samples, seed: of.seed }, watch)
}

/// Rows for `choices`, the number of each added to the seed.
fn rows<T: Copy + 'static, R: Serialize>(
    choices: impl IntoIterator<Item = T>,
    work: impl Fn(T, Effort, &mut Watch<'_>) -> PyResult<R> + Copy + 'static,
) -> Vec<Row> {
    let numbered = choices.into_iter().zip(0u64..);
    let row = |(choice, number)| -> Row {
        Box::new(move |effort: Effort, watch: &mut Watch<'_>| {
            let seed = effort.seed + number;
            Ok(json!(work(choice, Effort { seed, ..effort }, watch)?))
        })
    };
    numbered.map(row).collect()
}

fn rivest_shamir_section() -> Tables {
    let searched = [(4, 3), (4, 4), (2, 4), (8, 4)].map(|(messages, cells)| Search { messages, cells });
    vec![
        ("tables", rows(Printed::ALL, |table, _, watch| rivest_shamir(table, watch))),
        ("search", rows(searched, |search, _, watch| max_generations(search, watch))),
    ]
}

/// Table 2 of `second-write` in both readings, and whether retries are independent.
fn polar_wom() -> Tables {
    const TWO_PAGES: usize = 1 << 16;
    // 211.6% is where a single attempt has the success that the paper gives for 210%.
    let clean = [200.0, 206.0, 208.0, 210.0, 211.6, 212.0, 214.0].map(|s| (Reading::CleanSpare, s));
    let all = [206.0, 208.0, 210.0, 212.0, 214.0, 227.0].map(|s| (Reading::AllProgrammed, s));
    vec![
        (
            "table_2",
            rows(clean.into_iter().chain(all), |(reading, storage), Effort { samples, seed }, watch| {
                measure_table_2_row(reading, storage, TWO_PAGES, samples as usize, seed, watch)
                    .map_err(code_error)
            }),
        ),
        (
            "retries",
            rows([208.0, 210.0, 211.6, 212.0], |storage, Effort { samples, seed }, watch| {
                measure_retries(storage, 5 * samples as usize, seed + 100, watch).map_err(code_error)
            }),
        ),
    ]
}

/// Generations printed in the paper: `wom-v`, figure 2 and section 2.
const PAPER_GENERATIONS: [(u8, u8, u32); 3] = [(3, 4, 2), (2, 4, 5), (1, 4, 15)];
const PAGE_CELLS: usize = 8192;
const PAPER_SHARE: f64 = EccThreshold::PAPER.max_invalid_share;
/// Shares of bits that a later write changes.
const FLIP_RATES: [f64; 6] = [0.01, 0.05, 0.1, 0.2, 0.3, 0.5];
/// Shares of the capacity of the plain drive that the data takes.
const FULLNESS: [f64; 7] = [0.1, 0.15, 0.2, 0.225, 0.3, 0.4, 0.45];

/// Tables, generations, writes of random data and of data of few changed bits, erases in theory.
fn wom_v() -> Tables {
    let modes = [Check::NoRead, Check::Pre, Check::Post];
    let theory = [(2, 4), (1, 4)].into_iter().flat_map(|(k, n)| modes.map(|mode| (k, n, mode)));
    vec![
        (
            "tables",
            rows(PAPER_GENERATIONS, |(k, n, paper_generations), _, _| {
                let code = Code::new(k, n).map_err(code_error)?;
                Ok(json!({
                    "code": code.to_string(), "generations": code.generations(),
                    "paper_generations": paper_generations, "table": code.table(),
                }))
            }),
        ),
        ("writes", rows(Code::all().filter(|code| code.cell_bits() <= 5), wom_v_writes)),
        (
            "flip_rates",
            rows(PAPER_GENERATIONS, |(k, n, _), _, _| {
                let code = Code::new(k, n).map_err(code_error)?;
                let mean = |check, rate| {
                    mean_writes(code, PAGE_CELLS, check, PAPER_SHARE, DataModel::BitFlips(rate))
                };
                let means = FLIP_RATES.map(|rate| json!({
                "flip_rate": rate, "pre_check": mean(Check::Pre, rate), "post_check": mean(Check::Post, rate),
            }));
                Ok(json!({ "code": code.to_string(), "cells": PAGE_CELLS, "mean_writes": means }))
            }),
        ),
        (
            "erase_factors",
            rows(theory, |(k, n, mode), _, _| {
                let code = Code::new(k, n).map_err(code_error)?;
                let writes = mean_writes(code, PAGE_CELLS, mode, PAPER_SHARE, DataModel::Random);
                let rate = f64::from(k) / f64::from(n);
                let factors = FULLNESS.map(
                    |share| json!({ "fullness": share, "relative": relative_erases(share, rate, writes) }),
                );
                Ok(json!({ "code": code.to_string(), "mode": mode, "writes": writes, "factors": factors }))
            }),
        ),
    ]
}

fn wom_v_writes(code: Code, Effort { samples, seed }: Effort, watch: &mut Watch<'_>) -> PyResult<Value> {
    // Pages differ little from each other: a tenth of the samples leaves intervals of a few
    // hundredths of a write.
    let pages = (samples as usize / 10).max(2);
    let mut row = json!(measure_wom_v_code(code, pages, seed, watch).map_err(code_error)?);
    let released = EccThreshold::RELEASED_CODE.max_invalid_share;
    row["code"] = json!(code.to_string());
    row["no_read"] = json!(code.generations());
    row["generation_bits"] = json!(code.generation_bits());
    row["released_code"] = json!(mean_writes(code, 1_000_000, Check::Unit, released, DataModel::Random));
    Ok(row)
}

/// Cells that a write of random data changes.
fn flip_n_write() -> Tables {
    const PAGE_BYTES: usize = 4096;
    let changes = |word_bits: usize, Effort { samples, seed }: Effort, watch: &mut Watch<'_>| {
        let code = FlipNWrite::new(word_bits).map_err(code_error)?;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (mut data, mut cells) = ([0; PAGE_BYTES], [0; PAGE_BYTES]);
        let mut flags = vec![0; code.flag_bytes(PAGE_BYTES)];
        let writes = u64::from(samples / 10).max(2) + 1;
        let mut shares = Vec::new();
        for write in 0..writes {
            if !watch(write, writes) {
                break;
            }
            rng.fill_bytes(&mut data);
            let changes = code.encode(&data, &mut cells, &mut flags).map_err(code_error)?;
            // The first write meets an erased page.
            if write > 0 {
                shares.push(changes.total() as f64 / (8 * PAGE_BYTES) as f64);
            }
        }
        let Mean { samples, mean, half_width } = Mean::new(&shares);
        Ok(json!({
            "word_bits": word_bits,
            "max_share": code.max_changes_per_word() as f64 / word_bits as f64,
            "mean_share": mean, "half_width": half_width, "writes": samples,
        }))
    };
    vec![("changes", rows([8, 16, 32, 64], changes))]
}

/// Every transition of `seal`, figure 3, and which orders of programming two pages are safe.
fn mlc_cell_section() -> Tables {
    let pages = [Page::Low, Page::High];
    let transitions = State::ALL
        .into_iter()
        .flat_map(move |state| pages.map(|page| (state, page)))
        .flat_map(|(state, page)| [true, false].map(|bit| (state, page, bit)));
    // An order of n programs as the bits of a number, the first one highest: low pages are 0.
    let orders = (1..=4u32).flat_map(|length| (0..1u32 << length).map(move |bits| (length, bits)));
    vec![
        (
            "transitions",
            rows(transitions, |(state, page, bit), _, _| {
                let found = state.program(page, bit);
                Ok(json!({
                    "number": found.number, "state": state_name(state), "page": page_name(page),
                    "bit": u8::from(bit), "next": state_name(found.next), "effect": effect_name(found.effect),
                }))
            }),
        ),
        (
            "orders",
            rows(orders, move |(length, bits), _, _| {
                let order: Vec<Page> =
                    (0..length).rev().map(|place| pages[(bits >> place & 1) as usize]).collect();
                let names: Vec<&str> = order.iter().map(|page| page_name(*page)).collect();
                let found = mlc_cell::find_corruption(&order);
                let bits = found.map(|bits| bits.into_iter().map(u8::from).collect::<Vec<_>>());
                Ok(json!({ "order": names, "safe": bits.is_none(), "bits": bits }))
            }),
        ),
    ]
}

fn page_name(page: Page) -> &'static str {
    match page {
        Page::Low => "low",
        Page::High => "high",
    }
}

fn state_name(state: State) -> &'static str {
    match state {
        State::Erased => "erased",
        State::Intermediate => "intermediate",
        State::P1 => "p1",
        State::P2 => "p2",
        State::P3 => "p3",
    }
}

fn effect_name(effect: Effect) -> &'static str {
    match effect {
        Effect::Stored => "stored",
        Effect::NotTaken => "not-taken",
        Effect::Disturbed => "disturbed",
    }
}

/// Raw bit error rates at UBER 1e-15, and measured frame error rates beside the binomial tail's.
fn bch() -> Tables {
    let sizes = [512, 1024, 2048, 4096];
    let limits = sizes.into_iter().flat_map(|size| [0.025, 0.04, 0.065, 0.09].map(|share| (size, share)));
    let measured = [(4096, 51), (4096, 81), (4096, 133), (4096, 184), (1024, 14), (1024, 23), (1024, 52)];
    // Where these frame error rates are expected.
    let measured =
        measured.into_iter().flat_map(|code| [0.9, 0.5, 0.2, 0.05, 0.01, 0.002].map(|rate| (code, rate)));
    vec![
        (
            "limits",
            rows(limits, |(data_bytes, share), _, _| {
                let t = largest_t(data_bytes, share).map_err(code_error)?;
                let code = Bch::new(data_bytes, t).map_err(code_error)?;
                let mut row = json!(BchLimit::of(&code, USUAL_UBER).map_err(code_error)?);
                row["parity_budget_percent"] = json!(100.0 * share);
                Ok(row)
            }),
        ),
        (
            "frame_error_rates",
            rows(measured, |((data_bytes, t), rate), Effort { samples, seed }, watch| {
                let code = Bch::new(data_bytes, t).map_err(code_error)?;
                let rber = rber_of(&code, rate);
                let trials = Trials { frames: samples, seed };
                let mut row = json!(measure_bch(&code, rber, trials, watch).map_err(code_error)?);
                row["t"] = json!(t);
                row["codeword_bits"] = json!(code.codeword_bits());
                row["expected"] = json!(ln_binomial_tail(code.codeword_bits() as u64, rber, t as u64).exp());
                Ok(row)
            }),
        ),
    ]
}

/// The raw bit error rate, to three digits, at which more than t bits are wrong with this
/// probability.
fn rber_of(code: &Bch, frame_error_rate: f64) -> f64 {
    let (mut low, mut high) = (1e-9f64, 0.4f64);
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        let rate = ln_binomial_tail(code.codeword_bits() as u64, middle, code.t() as u64).exp();
        if rate < frame_error_rate { low = middle } else { high = middle }
    }
    three_digits(high)
}

fn three_digits(number: f64) -> f64 {
    format!("{number:.2e}").parse().unwrap_or(number)
}

/// Ways of reading an LDPC code: pairs of references beside the hard one.
const LDPC_READS: [(&str, usize); 3] = [("min-sum", 0), ("soft-3", 1), ("soft-7", 3)];
/// Bytes of parity, and for each way of reading the raw bit error rate at which it fails nine times
/// of ten, and the factor by which every further point lies below the one before.
const LDPC_CURVES: [(usize, [(f64, f64); 3]); 3] = [
    (256, [(4.55e-3, 1.065), (1.05e-2, 1.045), (1.18e-2, 1.035)]),
    (384, [(7.2e-3, 1.05), (1.52e-2, 1.035), (1.7e-2, 1.025)]),
    (1024, [(2.16e-2, 1.025), (3.75e-2, 1.02), (4.12e-2, 1.015)]),
];
const LDPC_POINTS: i32 = 7;
const LDPC_DATA_BYTES: usize = 4096;

/// Measured frame error rates of page-sized codes, read hard and soft.
fn ldpc() -> Tables {
    // A curve of seeds is left out before each code's, as when the published numbers were measured.
    let points = LDPC_CURVES.into_iter().zip(1u64..).flat_map(|((parity_bytes, curves), code)| {
        curves.into_iter().zip(LDPC_READS).flat_map(move |((highest, step), read)| {
            let rber = move |place| three_digits(highest / step.powi(place));
            (0..LDPC_POINTS).map(move |place| (parity_bytes, read, rber(place), code * LDPC_POINTS as u64))
        })
    });
    vec![
        (
            "codes",
            rows(LDPC_CURVES, |(parity_bytes, _), _, _| {
                let code = Ldpc::new(LDPC_DATA_BYTES, parity_bytes).map_err(code_error)?;
                Ok(json!({
                    "data_bytes": code.data_bytes(), "parity_bytes": code.parity_bytes(), "rate": code.rate(),
                    "circulant_bits": code.circulant_bits(), "blocks": code.blocks().count(),
                }))
            }),
        ),
        (
            "frame_error_rates",
            rows(points, |(parity_bytes, (name, extra_pairs), rber, left_out), effort, watch| {
                let code = Ldpc::new(LDPC_DATA_BYTES, parity_bytes).map_err(code_error)?;
                let rules = MinSum::default();
                let decoder = match extra_pairs {
                    0 => LdpcDecoder::Hard(rules),
                    extra_pairs => LdpcDecoder::Soft { extra_pairs, rules },
                };
                let trials = Trials { frames: effort.samples, seed: effort.seed + left_out };
                let mut row = json!(measure_ldpc(&code, &decoder, rber, trials, watch).map_err(code_error)?);
                row["decoder"] = json!(name);
                Ok(row)
            }),
        ),
    ]
}
