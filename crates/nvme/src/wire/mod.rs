//! PDUs, commands and completions as bytes. Knows nothing of controllers.

pub mod command;
pub mod pdu;
pub mod status;

pub use command::{Command, Completion, Sgl};
pub use pdu::{Digests, Fault, FromHost, parse};
pub use status::Status;
