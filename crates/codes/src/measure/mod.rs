//! Measurements on real bits, with the seeds and the uncertainty they have: the numbers that `rewear codes` prints.

mod estimate;
mod retry;
mod table_2;
mod trial;
mod wom_v_writes;

pub use estimate::{Mean, Proportion};
pub use retry::{RetryRow, measure_retries};
pub use table_2::{PAPER_TABLE_2, Reading, Table2Row, measure_table_2, measure_table_2_row};
pub use wom_v_writes::{WomVRow, WritesPerPage, measure_wom_v, measure_wom_v_code};
