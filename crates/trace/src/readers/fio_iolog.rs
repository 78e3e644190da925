//! fio's I/O logs, versions 2 and 3 (`write_iolog`), after a line `fio version N iolog`.
//!
//! Version 2: `file action offset_bytes length_bytes`, without times: requests come at once, a line
//! `file wait us` lets `us` microseconds pass. Version 3: `time_us file action offset_bytes
//! length_bytes`. Each file is a volume. Syncs become flushes; add, open and close are no requests.
//! fio, "HOWTO", section "Trace file format".

use crate::error::Fault;
use crate::options::{OpenOptions, TimeUnit};
use crate::readers::clock::Clock;
use crate::readers::fields::{Fields, missing, number, time};
use crate::readers::sink::Record;
use crate::readers::stream::{Parser, lines_of};
use crate::readers::words::operation;

const HEADINGS: [&[u8]; 2] = [b"fio version 2 iolog", b"fio version 3 iolog"];

/// See the module.
pub(crate) struct FioIolog {
    clock: Clock,
    has_times: bool,
    started: bool,
    now_ns: u64,
}

/// True for the first line of a log.
pub(crate) fn sniff(head: &[u8]) -> bool {
    lines_of(head).next().is_some_and(|line| HEADINGS.contains(&line))
}

impl Parser for FioIolog {
    const EXAMPLES: &'static [&'static [u8]] = &[
        b"fio version 2 iolog\n/dev/sda add\n/dev/sda open\n/dev/sda write 4096 8192\n/dev/sda wait 250\n/dev/sda sync 0 0\n",
        b"fio version 3 iolog\n0 /dev/sda add\n5 /dev/sda write 4096 8192\n7 /dev/sda datasync 0 0\n",
    ];

    const READS_HEADINGS: bool = true;

    fn start(head: &[u8], options: &OpenOptions) -> Self {
        let has_times = lines_of(head).next() == Some(HEADINGS[1]);
        Self { clock: Clock::stated(options, TimeUnit::Microseconds), has_times, started: false, now_ns: 0 }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        if !std::mem::replace(&mut self.started, true) {
            return if HEADINGS.contains(&line) {
                Ok(None)
            } else {
                Err(Fault::field("the first line must be fio version 2 iolog or fio version 3 iolog", line))
            };
        }
        let mut fields = Fields::new(line);
        if self.has_times {
            self.now_ns = time(fields.word(), self.clock.unit_ns())?;
        }
        let file = fields.word().ok_or_else(|| missing("file"))?;
        let action = fields.word().ok_or_else(|| missing("action"))?;
        match action {
            b"add" | b"open" | b"close" => return Ok(None),
            b"wait" => {
                let pause_ns = time(fields.word(), self.clock.unit_ns())?;
                if !self.has_times {
                    self.now_ns = self.now_ns.saturating_add(pause_ns);
                }
                return Ok(None);
            }
            _ => {}
        }
        let operation = operation(action).ok_or_else(|| {
            Fault::field("the action must be one of fio's (read, write, trim, sync, wait, ...)", action)
        })?;
        let offset_bytes = number(fields.word(), "offset")?;
        let length_bytes = number(fields.word(), "length")?;
        Ok(Some(Record::new(self.now_ns, operation, offset_bytes, length_bytes).on(file)))
    }

    fn time_unit(&self) -> String {
        if self.has_times {
            self.clock.to_string()
        } else {
            format!("{}, only of waits: the log has no times", self.clock)
        }
    }
}
