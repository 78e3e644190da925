//! Plain csv: `time_ns,operation,offset_bytes,length_bytes` and, where the host gave one, `stream`,
//! with or without a line of these names, with commas or semicolons; the easiest format to write by
//! hand or script.
//!
//! A sixth column, `volume`, names the device of a trace of several.
//!
//! `stream` is the placement identifier of a request, 0 to 255; an empty one is 0.
//! Operations are read, write, overwrite, trim (or discard) and flush; a flush may leave its last
//! two columns empty.

use crate::error::Fault;
use crate::options::{OpenOptions, TimeUnit};
use crate::readers::clock::Clock;
use crate::readers::fields::{Fields, number, time};
use crate::readers::sink::Record;
use crate::readers::stream::{Parser, lines_of};
use crate::readers::words::operation;

/// The heading of this format, which no other has: with a fifth column its rows could be Alibaba's.
pub(crate) fn is_headed(head: &[u8]) -> bool {
    let first = lines_of(head).next().unwrap_or_default();
    [&b"time_ns,operation,offset_bytes"[..], b"time_ns;operation;offset_bytes"]
        .iter()
        .any(|names| first.starts_with(names))
}

/// See the module.
pub(crate) struct PlainCsv {
    clock: Clock,
}

impl Parser for PlainCsv {
    const EXAMPLES: &'static [&'static [u8]] = &[
        b"time_ns,operation,offset_bytes,length_bytes\n5,write,4096,8192\n7,flush,,\n9,discard,0,512\n",
        b"0,R,0,512\n",
        b"time_ns,operation,offset_bytes,length_bytes,stream\n5,write,4096,8192,3\n7,flush,,,\n9,read,0,512,\n",
    ];

    fn start(_head: &[u8], options: &OpenOptions) -> Self {
        Self { clock: Clock::stated(options, TimeUnit::Nanoseconds) }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        let mut fields = Fields::new(line);
        let separator = if line.contains(&b',') { b',' } else { b';' };
        let mut next = || fields.until(separator).map(<[u8]>::trim_ascii);
        let at_ns = time(next(), self.clock.unit_ns())?;
        let word = next().unwrap_or_default();
        let operation = operation(word).ok_or_else(|| {
            Fault::field("the operation must be read, write, overwrite, trim, flush or update-handle", word)
        })?;
        let (offset, length) = (next(), next());
        let (offset_bytes, length_bytes) = match operation.has_range() {
            true => (number(offset, "offset")?, number(length, "length")?),
            false => (0, 0),
        };
        // A flush may leave its last columns out.
        let stream = match next() {
            None | Some(b"") => 0,
            Some(field) => number(Some(field), "stream")?
                .try_into()
                .map_err(|_| Fault::field("the stream must be a placement identifier of 0 to 255", field))?,
        };
        let volume = next().unwrap_or_default();
        if next().is_some() {
            return Err(Fault::new("the line must end after the length, the stream or the volume"));
        }
        let record = Record::new(at_ns, operation, offset_bytes, length_bytes);
        Ok(Some(Record { stream, ..record.on(volume) }))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }
}
