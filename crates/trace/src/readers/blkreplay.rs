//! blkreplay: `start_s ; sector ; sectors ; R|W ; replay_delay ; replay_duration`, after text of
//! any kind (a licence) that a line of column names ends. Some published files have text and column
//! names twice, or are several files in one; their text is passed over wherever it stands. The
//! operation is one letter. Files that were made from blktrace may also have `RA`, reads ahead,
//! which are speculative and which nobody waits for: they are ignored, and counted as ignored.
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
    /// Lines of column names that still end a text.
    headings: u32,
    /// The line by which a text begins again; empty if the file has no text.
    first_line: Box<[u8]>,
}

/// True for the line of column names.
fn is_heading(line: &[u8]) -> bool {
    let mut fields = Fields::new(line);
    let mut next = || fields.until(b';').map(<[u8]>::trim_ascii);
    next() == Some(b"start") && next() == Some(b"sector")
}

/// True for what could be a request: no text begins with a time and a sector.
fn is_data(line: &[u8]) -> bool {
    let mut fields = Fields::new(line);
    let mut next = || fields.until(b';').map(<[u8]>::trim_ascii);
    time(next(), 1).is_ok() && sectors(next(), "sector").is_ok()
}

impl Parser for BlkReplay {
    const EXAMPLES: &'static [&'static [u8]] = &[
        b"A licence; as is\n\nstart ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n\
            0.000000000 ;  8 ; 16 ; R ; 0.0 ; 0.0\n   0.000023289 ; 0 ; 1 ; W ; 0.0 ; 0.0\n",
        b"A licence; as is\n\nstart ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n\
          A licence; as is\nConverted again.\nstart ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n\
            0.000000000 ;  8 ; 16 ; R ; 0.0 ; 0.0\n   0.000023289 ; 0 ; 1 ; W ; 0.0 ; 0.0\n",
    ];

    const READS_HEADINGS: bool = true;

    fn start(head: &[u8], options: &OpenOptions) -> Self {
        let before_data = lines_of(head).take_while(|line| !is_data(line));
        let headings = before_data.filter(|line| is_heading(line)).count() as u32;
        let first = lines_of(head).next().filter(|line| headings > 0 && !is_heading(line));
        let first_line = first.unwrap_or_default().into();
        Self { clock: Clock::stated(options, TimeUnit::Seconds), headings, first_line }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        if self.headings > 0 {
            self.headings -= u32::from(is_heading(line));
            return Ok(None);
        }
        if !self.first_line.is_empty() && *line == *self.first_line {
            self.headings = 1;
            return Ok(None);
        }
        if is_heading(line) {
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
