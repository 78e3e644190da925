//! Schemas, catalogues, and closed forms that need no drive.

use std::collections::BTreeMap;

use include_dir::{Dir, include_dir};
use pyo3::prelude::*;
use rewear_codes::measure::Watch;
use rewear_ftl::recycle::lx::probability;
use rewear_sim::bound::coded::{Class, coded};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::Nothing;
use crate::errors::configuration_error;
use crate::replay::replay_error;

/// The preset drives: every `presets/*.toml` of the repository, compiled in.
static DRIVES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../presets");

/// Name of each preset drive -> its TOML text.
pub(super) fn presets(
    Nothing {}: Nothing,
    _: &mut Watch<'_>,
) -> PyResult<BTreeMap<&'static str, &'static str>> {
    let found = DRIVES
        .files()
        .filter(|file| file.path().extension().is_some_and(|extension| extension == "toml"))
        .filter_map(|file| Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?)));
    Ok(found.collect())
}

/// JSON schema of a drive's configuration.
pub(super) fn drive_schema(Nothing {}: Nothing, _: &mut Watch<'_>) -> PyResult<impl Serialize + use<>> {
    Ok(rewear_sim::configuration_schema())
}

/// JSON schema of a report.
pub(super) fn report_schema(Nothing {}: Nothing, _: &mut Watch<'_>) -> PyResult<impl Serialize + use<>> {
    Ok(rewear_sim::report_schema())
}

/// The figures of reports.
pub(super) fn figures(Nothing {}: Nothing, _: &mut Watch<'_>) -> PyResult<impl Serialize + use<>> {
    Ok(rewear_sim::book::book())
}

/// The workload generators and their parameters.
pub(super) fn workloads(Nothing {}: Nothing, _: &mut Watch<'_>) -> PyResult<Vec<Value>> {
    let parameter = |parameter: &rewear_trace::Parameter| {
        json!({
            "name": parameter.name,
            "default": parameter.default,
            "unit": parameter.unit,
            "meaning": parameter.meaning,
        })
    };
    let generators = rewear_trace::GENERATORS.iter().map(|generator| {
        let parameters: Vec<Value> = generator.all_parameters().map(parameter).collect();
        json!({ "name": generator.name, "about": generator.summary, "parameters": parameters })
    });
    Ok(generators.collect())
}

/// The trace formats that can be read.
pub(super) fn trace_formats(Nothing {}: Nothing, _: &mut Watch<'_>) -> PyResult<Vec<Value>> {
    let formats = rewear_trace::formats()
        .iter()
        .map(|format| json!({ "name": format.name, "aliases": format.aliases, "about": format.layout }));
    Ok(formats.collect())
}

/// A bound of codes: bits of a cell, flash over data, and for each class of pages its shares of the
/// data and of the writes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CodedBound {
    bits: u8,
    flash: f64,
    classes: Vec<(f64, f64)>,
}

/// What codes cannot go below; see [`rewear_sim::bound::coded::coded`].
pub(super) fn coded_bound(of: CodedBound, _: &mut Watch<'_>) -> PyResult<impl Serialize + use<>> {
    let classes: Vec<Class> = of.classes.into_iter().map(|(data, writes)| Class { data, writes }).collect();
    coded(of.bits, of.flash, &classes).map_err(replay_error)
}

/// A quantile of Student's t distribution.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Quantile {
    /// Above 0 and below 1.
    probability: f64,
    /// Degrees of freedom, above 0.
    freedom: f64,
}

/// Quantile of Student's t distribution, for intervals over runs that differ in their seed.
pub(super) fn student_t_quantile(of: Quantile, _: &mut Watch<'_>) -> PyResult<f64> {
    let Quantile { probability, freedom } = of;
    let distribution = StudentsT::new(0.0, 1.0, freedom).map_err(configuration_error)?;
    if !(probability > 0.0 && probability < 1.0) {
        return Err(configuration_error(format!(
            "probability {probability}: give a number above 0 and below 1."
        )));
    }
    Ok(distribution.inverse_cdf(probability))
}

/// Popularity of a page: growth, and accesses so far.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Popularity {
    growth: f64,
    accesses: u8,
}

/// Equation 1 of LX-SSD: the popularity of a page.
pub(super) fn lx_popularity(of: Popularity, _: &mut Watch<'_>) -> PyResult<f64> {
    Ok(probability::popularity(of.growth, of.accesses))
}

/// A position in the list of invalid pages of a logical page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Position {
    position: u32,
}

/// Equation 3 of LX-SSD: the version at a position.
pub(super) fn lx_version(of: Position, _: &mut Watch<'_>) -> PyResult<u8> {
    Ok(probability::version(of.position))
}

/// An invalid page: growth, decay, accesses, version (0 to 15).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Recycling {
    growth: f64,
    decay: f64,
    accesses: u8,
    version: u8,
}

/// Equation 4 of LX-SSD, and with version 15 equation 2: the probability that it is recycled.
pub(super) fn lx_probability(of: Recycling, _: &mut Watch<'_>) -> PyResult<f64> {
    if of.version > probability::MOST {
        return Err(configuration_error(format!("version {}: give 0 to {}.", of.version, probability::MOST)));
    }
    Ok(probability::probability(of.growth, of.decay, of.accesses, of.version))
}
