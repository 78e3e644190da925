//! SYSTOR '17: `Timestamp,Response,IOType,LUN,Offset,Size` with a line of these names first; times
//! in seconds, offset and size in bytes.
//!
//! The lines are in the order of completion, so times go backwards. Lines with a blank operation
//! are accesses whose operation was not recorded, as the README of the traces says; they are
//! ignored, and counted as ignored. Lee et al., "Understanding storage traffic characteristics on
//! enterprise virtual desktop infrastructure", SYSTOR 2017.

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
    const EXAMPLES: &'static [&'static [u8]] =
        &[b"Timestamp,Response,IOType,LUN,Offset,Size\n1456095145.133076000,0.000806000,R,0,4096,8192\n1456095145.133077000,,W,2,0,512\n"];

    const HEADING: &'static [u8] = b"Timestamp,";

    fn start(_head: &[u8], options: &OpenOptions) -> Self {
        Self { clock: Clock::stated(options, TimeUnit::Seconds), started: false }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        if !std::mem::replace(&mut self.started, true) && line.starts_with(Self::HEADING) {
            return Ok(None);
        }
        let mut fields = Fields::new(line);
        let at_ns = time(fields.until(b','), self.clock.unit_ns())?;
        let response = fields.until(b',').ok_or_else(|| missing("response time"))?;
        // The response time is missing where no completion was seen.
        if !response.is_empty() {
            time(Some(response), TimeUnit::Seconds.ns())?;
        }
        let operation = match fields.until(b',') {
            Some(blank) if blank.trim_ascii().is_empty() => None,
            word => Some(read_or_write(word)?),
        };
        let unit = fields.until(b',').ok_or_else(|| missing("logical unit"))?;
        if digits(unit).is_none() {
            return Err(Fault::field("the logical unit must be a number", unit));
        }
        let offset_bytes = number(fields.until(b','), "offset")?;
        let length_bytes = number(fields.until(b','), "length")?;
        if fields.until(b',').is_some() {
            return Err(Fault::new("the line must end after the length"));
        }
        Ok(operation.map(|operation| Record::new(at_ns, operation, offset_bytes, length_bytes).on(unit)))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }
}
