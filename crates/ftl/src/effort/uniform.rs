//! Effort `uniform`: the chip as its maker delivers it.
//!
//! # Idea
//! Every page is programmed in the normal mode and read at the normal latency; one error-correcting code for all.
//!
//! # Paper
//! None: the baseline of all five.
//!
//! # Parameters
//! None.
//!
//! # Cost
//! None: no memory, no extra operation.
//!
//! # Deviations
//! None.

/// See the module's page.
#[derive(Debug, Clone, Copy)]
pub struct Uniform;
