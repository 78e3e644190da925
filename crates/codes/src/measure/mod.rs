//! Measurements on real bits, with the seeds and the uncertainty they have: the numbers that
//! `rewear codes` prints.

mod coset_writes;
mod estimate;
mod retry;
mod table_2;
mod trial;
mod watch;
mod wom_v_writes;

pub use coset_writes::{CosetRow, measure_coset};
pub use estimate::{Mean, Proportion};
pub use retry::{RetryRow, measure_retries};
pub use table_2::{PAPER_TABLE_2, Reading, Table2Row, measure_table_2_row};
pub use watch::Watch;
pub use wom_v_writes::{WomVRow, WritesPerPage, measure_wom_v_code};
