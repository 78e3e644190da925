//! DiskMon of Sysinternals: `number time_s duration_s disk Read|Write sector sectors`, separated by
//! tabs.

use crate::error::Fault;
use crate::operation::Operation;
use crate::options::{OpenOptions, TimeUnit};
use crate::readers::clock::Clock;
use crate::readers::fields::{Fields, digits, missing, number, sectors, time};
use crate::readers::sink::Record;
use crate::readers::stream::Parser;

/// See the module.
pub(crate) struct DiskMon {
    clock: Clock,
    started: bool,
}

impl Parser for DiskMon {
    const EXAMPLES: &'static [&'static [u8]] =
        &[b"0\t0.25\t0.00001\t0\tRead\t8\t16\r\n1\t0.5\t0.00002\t0\tWrite\t0\t1\r\n"];

    fn start(_head: &[u8], options: &OpenOptions) -> Self {
        Self { clock: Clock::stated(options, TimeUnit::Seconds), started: false }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        if !std::mem::replace(&mut self.started, true) && line.starts_with(b"#") {
            return Ok(None); // a line of column names
        }
        let mut fields = Fields::new(line);
        number(fields.word(), "running number")?;
        let at_ns = time(fields.word(), self.clock.unit_ns())?;
        time(fields.word(), TimeUnit::Seconds.ns())?;
        let disk = fields.word().ok_or_else(|| missing("disk"))?;
        if digits(disk).is_none() {
            return Err(Fault::field("the disk must be a number", disk));
        }
        let operation = match fields.word() {
            Some(b"Read") => Operation::Read,
            Some(b"Write") => Operation::Write,
            other => {
                return Err(Fault::field("the operation must be Read or Write", other.unwrap_or_default()));
            }
        };
        let offset_bytes = sectors(fields.word(), "sector")?;
        let length_bytes = sectors(fields.word(), "number of sectors")?;
        Ok(Some(Record::new(at_ns, operation, offset_bytes, length_bytes).on(disk)))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }
}
