//! SYSTOR '17: `Timestamp,Response,IOType,LUN,Offset,Size` with a line of these names first; times in
//! seconds, offset and size in bytes.
//!
//! The lines are in the order of completion, so times go backwards. Lee et al., "Understanding storage
//! traffic characteristics on enterprise virtual desktop infrastructure", SYSTOR 2017.

use crate::error::Fault;
use crate::options::{OpenOptions, TimeUnit};
use crate::readers::clock::Clock;
use crate::readers::fields::{Fields, digits, missing, number, time};
use crate::readers::sink::Record;
use crate::readers::stream::Parser;
use crate::readers::words::read_or_write;

/// See the module.
pub(crate) struct Systor {
    clock: Clock,
    started: bool,
}

impl Parser for Systor {
    fn start(_head: &[u8], options: &OpenOptions) -> Self {
        Self { clock: Clock::stated(options, TimeUnit::Seconds), started: false }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        if !std::mem::replace(&mut self.started, true) && line.starts_with(b"Timestamp,") {
            return Ok(None);
        }
        let mut fields = Fields::new(line);
        let at_ns = time(fields.until(b','), self.clock.unit_ns())?;
        let response = fields.until(b',').ok_or_else(|| missing("response time"))?;
        // The response time is missing where no completion was seen.
        if !response.is_empty() {
            time(Some(response), TimeUnit::Seconds.ns())?;
        }
        let operation = read_or_write(fields.until(b','))?;
        let unit = fields.until(b',').ok_or_else(|| missing("logical unit"))?;
        if digits(unit).is_none() {
            return Err(Fault::field("the logical unit must be a number", unit));
        }
        let offset_bytes = number(fields.until(b','), "offset")?;
        let length_bytes = number(fields.until(b','), "length")?;
        if fields.until(b',').is_some() {
            return Err(Fault::new("the line must end after the length"));
        }
        Ok(Some(Record::new(at_ns, operation, offset_bytes, length_bytes).on(unit)))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }
}
