//! blkreplay: `start_s ; sector ; sectors ; R|W ; replay_delay ; replay_duration`, after text of any kind
//! that a line of column names ends. The operation is one letter. Files that were made from blktrace may
//! also have `RA`, reads ahead, which are speculative and which nobody waits for: they are ignored, and
//! counted as ignored.
//!
//! Schoebel-Theuer, blkreplay, <https://github.com/schoebel/blkreplay>.

use crate::error::Fault;
use crate::options::{OpenOptions, TimeUnit};
use crate::readers::clock::Clock;
use crate::readers::fields::{Fields, sectors, time};
use crate::readers::sink::Record;
use crate::readers::stream::{Parser, lines_of};
use crate::readers::words::read_or_write;

/// See the module.
pub(crate) struct BlkReplay {
    clock: Clock,
    in_text: bool,
}

/// True for the line of column names.
fn is_heading(line: &[u8]) -> bool {
    let mut fields = Fields::new(line);
    let mut next = || fields.until(b';').map(<[u8]>::trim_ascii);
    next() == Some(b"start") && next() == Some(b"sector")
}

impl Parser for BlkReplay {
    fn start(head: &[u8], options: &OpenOptions) -> Self {
        let in_text = lines_of(head).any(is_heading);
        Self { clock: Clock::stated(options, TimeUnit::Seconds), in_text }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        if self.in_text {
            self.in_text = !is_heading(line);
            return Ok(None);
        }
        let mut fields = Fields::new(line);
        let mut next = || fields.until(b';').map(<[u8]>::trim_ascii);
        let at_ns = time(next(), self.clock.unit_ns())?;
        let offset_bytes = sectors(next(), "sector")?;
        let length_bytes = sectors(next(), "number of sectors")?;
        let letters = next().unwrap_or_default();
        if letters == b"RA" {
            return Ok(None);
        }
        let operation = read_or_write(Some(letters))?;
        Ok(Some(Record::new(at_ns, operation, offset_bytes, length_bytes)))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }
}
