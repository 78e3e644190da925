//! Tencent cloud block storage: `time_s,sector,sectors,0|1,volume`, 0 for a read and 1 for a write.
//!
//! Zhang et al., "OSCA: an online-model based cache allocation scheme in cloud block storage
//! systems", USENIX ATC 2020.

use crate::error::Fault;
use crate::operation::Operation;
use crate::options::{OpenOptions, TimeUnit};
use crate::readers::clock::Clock;
use crate::readers::fields::{Fields, digits, missing, sectors, time};
use crate::readers::sink::Record;
use crate::readers::stream::Parser;

/// See the module.
pub(crate) struct Tencent {
    clock: Clock,
    started: bool,
}

impl Parser for Tencent {
    const EXAMPLES: &'static [&'static [u8]] = &[b"1538323200,8,16,1,1058\n1538323201,0,1,0,1063\n"];

    fn start(_head: &[u8], options: &OpenOptions) -> Self {
        Self { clock: Clock::stated(options, TimeUnit::Seconds), started: false }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        if !std::mem::replace(&mut self.started, true)
            && line.to_ascii_lowercase().starts_with(b"timestamp,offset,")
        {
            return Ok(None); // a line of column names
        }
        let mut fields = Fields::new(line);
        let at_ns = time(fields.until(b','), self.clock.unit_ns())?;
        let offset_bytes = sectors(fields.until(b','), "sector")?;
        let length_bytes = sectors(fields.until(b','), "number of sectors")?;
        let operation = match fields.until(b',') {
            Some(b"0") => Operation::Read,
            Some(b"1") => Operation::Write,
            other => {
                return Err(Fault::field(
                    "the operation must be 0 (read) or 1 (write)",
                    other.unwrap_or_default(),
                ));
            }
        };
        let volume = fields.until(b',').ok_or_else(|| missing("volume"))?;
        if digits(volume).is_none() || fields.until(b',').is_some() {
            return Err(Fault::field("the fifth and last column must be the volume's number", volume));
        }
        Ok(Some(Record::new(at_ns, operation, offset_bytes, length_bytes).on(volume)))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }
}
