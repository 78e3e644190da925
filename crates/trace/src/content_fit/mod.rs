//! The parameters of the model of value locality (`workloads/content.rs`) that a trace with content
//! comes closest to.
//!
//! Repeats and returns are counted; what a draw from the pool would have hit by chance is taken
//! off. How new contents and the pool share the rest is found by drawing from pools until contents
//! come as often, and as long after one another, as in the trace. Each page of a request counts by
//! itself.

mod observe;
mod search;

use serde::Serialize;

use crate::error::{ErrorKind, TraceError};
use crate::request::Batch;
use crate::source::Source;
use observe::Observer;

/// The fit. The fields are the parameters of `content=locality`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContentFit {
    /// Page writes with known content.
    pub page_writes: u64,
    /// Those of them that neither repeat nor return, from which the pool was fitted.
    pub other_writes: u64,
    /// Contents of the pool.
    pub values: u64,
    /// Exponent of their popularity.
    pub popularity: f64,
    /// Part of the other writes that bring new content.
    pub new: f64,
    /// Part of the writes to a page with earlier contents that return to one of them.
    #[serde(rename = "return")]
    pub returns: f64,
    /// Mean depth of the content they return to.
    pub depth: f64,
    /// Part of the writes to a page with content that repeat it.
    pub same: f64,
    /// Part of the draws from the pool that replace its content.
    pub churn: f64,
    /// How far the fit is off, between 0 and 1: half the sum of the differences between the shares
    /// of the other writes in classes of how often their content comes, and the same of how long
    /// ago it came last; the mean of both.
    pub distance: f64,
}

impl ContentFit {
    /// The parameters as a workload takes them.
    pub fn parameters(&self) -> String {
        let Self { values, popularity, new, returns, depth, same, churn, .. } = self;
        format!(
            "content=locality,values={values},popularity={popularity:.3},new={new:.4},return={returns:.4},depth={depth:.2},same={same:.4},churn={churn:.5}"
        )
    }
}

/// Reads `source` from its beginning to its end and rewinds it. Memory: about 60 bytes for each
/// distinct page and as many for each distinct content.
///
/// # Errors
/// Those of the source; a trace in which no page is written with known content.
pub fn fit_content(source: &mut dyn Source) -> Result<ContentFit, TraceError> {
    source.rewind()?;
    let mut observer = Observer::default();
    let mut batch = Batch::default();
    while source.fill(&mut batch)? > 0 {
        for request in &batch.requests {
            if request.operation.is_write() {
                observer.write(request, batch.content_of(request))?;
            }
        }
    }
    source.rewind()?;
    if observer.page_writes == 0 {
        return Err(TraceError::new(
            ErrorKind::Empty,
            "no page is written with known content",
            "take a trace with content: one that `rewear record` made, or an FIU trace",
        ));
    }
    let pool = search::fit(&observer.others);
    Ok(ContentFit {
        page_writes: observer.page_writes,
        other_writes: observer.others.draws(),
        values: pool.values,
        popularity: pool.popularity,
        new: pool.new,
        returns: observer.returns(),
        depth: observer.depth(),
        same: observer.same(),
        churn: pool.churn,
        distance: pool.distance,
    })
}
