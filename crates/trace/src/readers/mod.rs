//! The formats: one file each, one line each in the registry below.

pub(crate) mod clock;
pub(crate) mod fields;
pub(crate) mod lines;
pub(crate) mod msr;
pub(crate) mod sink;

use crate::compact::reader::CompactSource;
use crate::decompress::Input;
use crate::error::TraceError;
use crate::options::OpenOptions;
use crate::readers::lines::{LineParser, LineSource, parses};
use crate::source::Source;

/// A boxed source that may go to another thread.
pub type AnySource = Box<dyn Source + Send>;

/// A trace format.
pub struct Format {
    /// The name that options take.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// How a record looks, in a line.
    pub layout: &'static str,
    pub(crate) sniff: fn(&[u8]) -> bool,
    pub(crate) open: fn(&'static str, Input, &OpenOptions) -> Result<AnySource, TraceError>,
}

const fn lines<P: LineParser>(name: &'static str, layout: &'static str) -> Format {
    Format { name, aliases: &[], layout, sniff: parses::<P>, open: open_lines::<P> }
}

impl Format {
    const fn or(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }
}

fn open_lines<P: LineParser>(name: &'static str, input: Input, options: &OpenOptions) -> Result<AnySource, TraceError> {
    Ok(Box::new(LineSource::<P>::new(name, input, options)))
}

/// Every format, in the order in which a file's content is tried on them: those that cannot be mistaken first.
pub static FORMATS: &[Format] = &[
    Format {
        name: "compact",
        aliases: &["rewear"],
        layout: "Rewear's own binary format (docs/trace-format.md)",
        sniff: crate::compact::is_compact,
        open: |_, input, options| Ok(Box::new(CompactSource::new(input, options)?)),
    },
    lines::<msr::Msr>("msr", "ticks,host,disk,Read|Write,offset_bytes,length_bytes,response_ticks").or(&["msr-cambridge"]),
];
