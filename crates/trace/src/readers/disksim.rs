//! DiskSim ascii: `arrival_ms device sector sectors flags`, times with a fraction, flags in
//! hexadecimal with bit 0 set for a read.
//!
//! Looks like SSDSim and MQSim traces (five columns of numbers); it is told from them by fractions
//! in the times, or flags other than 0 and 1. Bucy, Schindler, Schlosser and Ganger, "The DiskSim
//! simulation environment version 4.0 reference manual", 2008, section 7.1.

use crate::error::Fault;
use crate::operation::Operation;
use crate::options::{OpenOptions, TimeUnit};
use crate::readers::clock::Clock;
use crate::readers::fields::{Fields, missing, sectors, time};
use crate::readers::sink::Record;
use crate::readers::sniff::parses;
use crate::readers::stream::{Parser, lines_of};

/// See the module.
pub(crate) struct DiskSim {
    clock: Clock,
}

/// True for five columns, with fractions in the first or more than one bit in the last, on any
/// line that is a request: comments of other formats say nothing.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let mut parser = DiskSim::start(head, &OpenOptions::default());
    let mut is_own = |line: &[u8]| {
        let fraction = Fields::new(line).word().is_some_and(|time| time.contains(&b'.'));
        let flags = line.rsplit(|byte| matches!(byte, b' ' | b'\t')).next();
        (fraction || flags.is_some_and(|flags| flags.len() > 1)) && parser.parse(line).is_ok()
    };
    parses::<DiskSim>(head) && lines_of(head).any(&mut is_own)
}

impl Parser for DiskSim {
    const EXAMPLES: &'static [&'static [u8]] =
        &[b"0.5 0 8 16 0\n1.25 0 0 1 1\n", b"3 0 8 16 40\n4 0 0 1 41\n"];

    fn start(_head: &[u8], options: &OpenOptions) -> Self {
        Self { clock: Clock::stated(options, TimeUnit::Milliseconds) }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        let mut fields = Fields::new(line);
        let at_ns = time(fields.word(), self.clock.unit_ns())?;
        let device = fields.word().ok_or_else(|| missing("device number"))?;
        if !device.iter().all(u8::is_ascii_digit) {
            return Err(Fault::field("the device must be a number", device));
        }
        let offset_bytes = sectors(fields.word(), "sector")?;
        let length_bytes = sectors(fields.word(), "number of sectors")?;
        let flags = fields.word().ok_or_else(|| missing("flags"))?;
        if flags.len() > 8 || !flags.iter().all(u8::is_ascii_hexdigit) {
            return Err(Fault::field("the flags must be a hexadecimal number", flags));
        }
        // Bit 0 is in the last digit.
        let last = char::from(flags[flags.len() - 1]).to_digit(16).unwrap_or(0);
        let operation = if last & 1 == 1 { Operation::Read } else { Operation::Write };
        if let Some(more) = fields.word() {
            return Err(Fault::field("the line must end after the flags", more));
        }
        Ok(Some(Record::new(at_ns, operation, offset_bytes, length_bytes).on(device)))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }
}
