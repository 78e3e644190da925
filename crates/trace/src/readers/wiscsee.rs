//! WiscSee: `pid D|C operation offset_bytes length_bytes time_s wait_s sync`, with discards.
//!
//! Of the events one counts, as with blkparse: D (issued) where there are any, otherwise C (completed).
//! He, Kannan, Arpaci-Dusseau and Arpaci-Dusseau, "The unwritten contract of solid state drives", EuroSys 2017.

use crate::error::Fault;
use crate::options::{Event, OpenOptions, TimeUnit};
use crate::readers::blkparse::chosen_event;
use crate::readers::clock::Clock;
use crate::readers::fields::{Fields, missing, number, time};
use crate::readers::sink::Record;
use crate::readers::stream::{Parser, lines_of};
use crate::readers::words::operation;

/// See the module.
pub(crate) struct WiscSee {
    clock: Clock,
    event: Event,
}

impl Parser for WiscSee {
    fn start(head: &[u8], options: &OpenOptions) -> Self {
        let event_of = |line| Fields::new(line).word().and_then(|pid: &[u8]| Fields::new(&line[pid.len()..]).word());
        let event = chosen_event(options, |letter| lines_of(head).any(|line| event_of(line) == Some(&[letter][..])));
        Self { clock: Clock::stated(options, TimeUnit::Seconds), event }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        let mut fields = Fields::new(line);
        number(fields.word(), "process number")?;
        let event = match fields.word() {
            Some(&[letter @ (b'D' | b'C')]) => letter,
            other => return Err(Fault::field("the event must be D or C", other.unwrap_or_default())),
        };
        let word = fields.word().ok_or_else(|| missing("operation"))?;
        let operation = operation(word)
            .ok_or_else(|| Fault::field("the operation must be read, write, discard or flush", word))?;
        let offset_bytes = number(fields.word(), "offset")?;
        let length_bytes = number(fields.word(), "length")?;
        let at_ns = time(fields.word(), self.clock.unit_ns())?;
        let record = Record::new(at_ns, operation, offset_bytes, length_bytes);
        Ok((event == self.event.letter()).then_some(record))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }

    fn note(&self) -> String {
        format!("requests are the events {}", self.event)
    }
}
