//! SSDSim and MQSim ascii: `time device sector sectors operation`, whole numbers, operation 0 for a
//! write and 1 for a read.
//!
//! The two formats are the same, column by column. A `//` begins a comment, on a line of its own or
//! behind the operation. Both simulators take nanoseconds, but files converted from other traces
//! come in us or ms as well, without saying so; the unit is guessed from the rate of the first
//! requests unless the user chooses it. Hu et al., "Exploring and exploiting the multilevel
//! parallelism inside SSDs", 2013; Tavakkol et al., "MQSim", FAST 2018.

use crate::error::Fault;
use crate::options::OpenOptions;
use crate::readers::clock::Clock;
use crate::readers::fields::{Fields, digits, missing, number, sectors};
use crate::readers::sink::Record;
use crate::readers::stream::{Parser, lines_of};
use crate::readers::words::zero_writes;

const COMMENT: &[u8] = b"//";

/// See the module.
pub(crate) struct SsdSim {
    clock: Clock,
}

impl Parser for SsdSim {
    const EXAMPLES: &'static [&'static [u8]] =
        &[b"10\t0\t8\t16\t0\n30\t0\t0\t1\t1\n// written by a converter\n"];

    fn start(head: &[u8], options: &OpenOptions) -> Self {
        // A comment has no digits in front.
        let times = || lines_of(head).filter_map(|line| digits(Fields::new(line).word()?));
        let (earliest, latest) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
        Self { clock: Clock::guessed(options, times().count() as u64, latest - earliest) }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        if line.starts_with(COMMENT) {
            return Ok(None);
        }
        let mut fields = Fields::new(line);
        let units = number(fields.word(), "time")?;
        let at_ns = units.checked_mul(self.clock.unit_ns()).ok_or_else(|| {
            Fault::new(format!("the time {units} exceeds 2^64 ns; choose a finer time unit"))
        })?;
        let device = fields.word().ok_or_else(|| missing("device number"))?;
        if digits(device).is_none() {
            return Err(Fault::field("the device must be a number", device));
        }
        let offset_bytes = sectors(fields.word(), "sector")?;
        let length_bytes = sectors(fields.word(), "number of sectors")?;
        let operation = zero_writes(fields.word())?;
        if let Some(more) = fields.word().filter(|more| !more.starts_with(COMMENT)) {
            return Err(Fault::field("the line must end after the operation", more));
        }
        Ok(Some(Record::new(at_ns, operation, offset_bytes, length_bytes).on(device)))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }
}
