//! What a host says of one logical page that it writes.

pub mod fingerprint;
pub mod write_buffer;

use rewear_flash::Nanos;

use crate::host::fingerprint::Fingerprint;

/// One logical page of a write: all that the three questions may want to know about it.
#[derive(Debug, Clone, Copy)]
pub struct HostWrite<'a> {
    /// How much of the page it covers.
    pub coverage: Coverage,
    /// What the host promises about the data that lies there.
    pub command: Command,
    /// The content, as far as it is known.
    pub content: Content<'a>,
}

impl HostWrite<'static> {
    /// A plain write of a whole page, without further knowledge.
    pub const WHOLE: HostWrite<'static> =
        HostWrite { coverage: Coverage::Whole, command: Command::Write, content: Content::Unknown };
}

/// The times of a host write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    /// When it is asked for.
    pub(crate) at: Nanos,
    /// When its data is complete: the rest of a page may have to be read first.
    pub(crate) ready_at: Nanos,
}

/// How much of a logical page a write covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// All of it.
    Whole,
    /// A part: the rest is read first.
    Part,
}

/// Which write command the host gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// A write of any data.
    Write,
    /// A write that, as the host promises, only moves cells the way programming moves them
    /// (Extended P/E Cycles, section IV).
    Overwrite,
}

/// The content of a host write, as far as it is known.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    /// Nothing is known (traces without content).
    Unknown,
    /// A digest of the whole logical page; equal digests stand for equal bytes.
    Fingerprint(Fingerprint),
    /// The bytes of the whole logical page.
    Page(&'a [u8]),
}
