//! Alibaba block traces: `device,R|W,offset_bytes,length_bytes,time_us`.
//!
//! Li et al., "An in-depth analysis of cloud block storage workloads in large-scale production",
//! IISWC 2020.

use crate::error::Fault;
use crate::options::{OpenOptions, TimeUnit};
use crate::readers::clock::Clock;
use crate::readers::fields::{Fields, digits, missing, number, time};
use crate::readers::sink::Record;
use crate::readers::stream::Parser;
use crate::readers::words::read_or_write;

/// See the module.
pub(crate) struct Alibaba {
    clock: Clock,
    started: bool,
}

impl Parser for Alibaba {
    const EXAMPLES: &'static [&'static [u8]] =
        &[b"device_id,opcode,offset,length,timestamp\n419,W,4096,8192,1577808144000046\n725,R,0,512,1577808144000146\n"];

    const HEADING: &'static [u8] = b"device_id,";

    fn start(_head: &[u8], options: &OpenOptions) -> Self {
        Self { clock: Clock::stated(options, TimeUnit::Microseconds), started: false }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        if !std::mem::replace(&mut self.started, true) && line.starts_with(Self::HEADING) {
            return Ok(None); // a line of column names
        }
        let mut fields = Fields::new(line);
        let device = fields.until(b',').ok_or_else(|| missing("device"))?;
        if digits(device).is_none() {
            return Err(Fault::field("the device must be a number", device));
        }
        let operation = read_or_write(fields.until(b','))?;
        let offset_bytes = number(fields.until(b','), "offset")?;
        let length_bytes = number(fields.until(b','), "length")?;
        let at_ns = time(fields.until(b','), self.clock.unit_ns())?;
        if fields.until(b',').is_some() {
            return Err(Fault::new("the line must end after the time"));
        }
        Ok(Some(Record::new(at_ns, operation, offset_bytes, length_bytes).on(device)))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }
}
