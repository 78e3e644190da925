//! The code of Rivest and Shamir (1982): two bits in three binary cells, written twice, as two of
//! the papers print it. Beside it stands the search over all binary WOM codes of a size, for the
//! claim of `wom-v`, section 2.

mod search;
mod table;

pub use search::max_generations;
pub use table::{Generation, Table};
