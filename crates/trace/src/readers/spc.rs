//! SPC, the format of the UMass traces (Financial, WebSearch):
//! `asu,sector,length_bytes,R|W,time_s`, perhaps with more columns.
//!
//! Each application-specific storage unit (ASU) is a volume. Storage Performance Council, "SPC
//! trace file format specification", revision 1.0.1, 2002.

use crate::error::Fault;
use crate::options::{OpenOptions, TimeUnit};
use crate::readers::clock::Clock;
use crate::readers::fields::{Fields, digits, missing, number, sectors, time};
use crate::readers::sink::Record;
use crate::readers::stream::Parser;
use crate::readers::words::read_or_write;

/// See the module.
pub(crate) struct Spc {
    clock: Clock,
}

impl Parser for Spc {
    const EXAMPLES: &'static [&'static [u8]] = &[b"0,8,4096,R,0.026214\n1,16,512,w,0.026314\n"];

    fn start(_head: &[u8], options: &OpenOptions) -> Self {
        Self { clock: Clock::stated(options, TimeUnit::Seconds) }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        let mut fields = Fields::new(line);
        let mut next = || fields.until(b',').map(<[u8]>::trim_ascii);
        let unit = next().ok_or_else(|| missing("storage unit"))?;
        if digits(unit).is_none() {
            return Err(Fault::field("the storage unit must be a number", unit));
        }
        let offset_bytes = sectors(next(), "sector")?;
        let length_bytes = number(next(), "length")?;
        let operation = read_or_write(next())?;
        let at_ns = time(next(), self.clock.unit_ns())?;
        Ok(Some(Record::new(at_ns, operation, offset_bytes, length_bytes).on(unit)))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }
}
