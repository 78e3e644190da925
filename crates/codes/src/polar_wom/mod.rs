//! Polar WOM codes: a second write on cells that are about half programmed (`second-write`,
//! sections 2.2 and 3).
//!
//! Writing over programmed cells is memory with stuck-at cells, the dual of the erasure channel: a
//! cell is either known (programmed, must read 1) or free. Successive cancellation on that channel
//! is exact, so an encoding either succeeds or meets a *conflict*: a message bit that the
//! programmed cells already determine, to the other value.
//!
//! **Construction.** `x = u G` with `G = [[1,0],[1,1]]` to the n-th Kronecker power, in natural
//! order. The message takes the positions of `u` that are least likely to be determined when each
//! cell is programmed with probability 1/2. **Whitening.** The message is combined with a keystream
//! of the physical address and the attempt. So a determined position conflicts with probability 1/2
//! whatever the data. With `D` determined positions an attempt succeeds with probability `2^-D`,
//! and `D` depends on the programmed cells alone ([`PolarWom::determined`]). **Retry.** Another
//! attempt on the same cells rotates one half of them against the other and meets a new `D`.
//! Changing only the keystream meets the same `D`, which is why the two differ ([`Retry`]).

mod code;
mod field;
mod first_write;
mod message;
mod page_code;
mod sc;
mod second_write;
mod transform;
mod word;
mod workspace;

pub use code::{ATTEMPTS, Plan, PolarWom, Retry};
pub use field::{FIELD_BYTES, Field};
pub use first_write::{first_write, read_first_write};
pub use page_code::{PageCode, Preset};
pub use second_write::{Effort, PagePair, PairWorkspace, SecondWrite};
pub use workspace::{Attempt, Workspace};
