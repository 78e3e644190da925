//! MSR Cambridge csv: `ticks,host,disk,Read|Write,offset_bytes,length_bytes,response_ticks`.
//!
//! Times are Windows file times: ticks of 100 ns since 1601. Each disk of a host is a volume, named
//! `host_disk`. Narayanan, Donnelly and Rowstron, "Write off-loading: practical power management
//! for enterprise storage", FAST 2008.

use crate::error::Fault;
use crate::operation::Operation;
use crate::options::{OpenOptions, TimeUnit};
use crate::readers::clock::Clock;
use crate::readers::fields::{Fields, number, time};
use crate::readers::sink::Record;
use crate::readers::stream::Parser;

/// See the module.
pub(crate) struct Msr {
    clock: Clock,
    started: bool,
}

impl Parser for Msr {
    const EXAMPLES: &'static [&'static [u8]] =
        &[b"128166372003061629,web,1,Read,1024,4096,559\r\n128166372003061729,web,1,Write,8192,512,100\r\n"];

    fn start(_head: &[u8], options: &OpenOptions) -> Self {
        Self { clock: Clock::stated(options, TimeUnit::Ticks), started: false }
    }

    #[inline]
    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        if !std::mem::replace(&mut self.started, true) && line.first().is_some_and(u8::is_ascii_alphabetic) {
            return Ok(None); // a line of column names
        }
        let mut fields = Fields::new(line);
        let at_ns = time(fields.until(b','), self.clock.unit_ns())?;
        let volume = volume(&mut fields)?;
        let operation = match fields.until(b',') {
            Some(b"Read" | b"read" | b"R") => Operation::Read,
            Some(b"Write" | b"write" | b"W") => Operation::Write,
            other => {
                return Err(Fault::field(
                    "the fourth column must be Read or Write",
                    other.unwrap_or_default(),
                ));
            }
        };
        let offset_bytes = number(fields.until(b','), "offset")?;
        let length_bytes = number(fields.until(b','), "length")?;
        number(fields.until(b','), "response time")?;
        Ok(Some(Record::new(at_ns, operation, offset_bytes, length_bytes).on(volume)))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }
}

/// The bytes of the two columns host and disk, with the comma between them.
#[inline]
fn volume<'l>(fields: &mut Fields<'l>) -> Result<&'l [u8], Fault> {
    let both = fields.rest();
    let (Some(host), Some(disk)) = (fields.until(b','), fields.until(b',')) else {
        return Err(Fault::new("the line ends before the disk number"));
    };
    Ok(&both[..(host.len() + 1 + disk.len()).min(both.len())])
}
