//! The csv of virtual SCSI disks (CloudPhysics) that comes with libCacheSim:
//! `version,time,op,size,lbn`, with or without a line of these names. The columns are those of the
//! binary records ([`super::vscsi`]): microseconds, SCSI command, bytes, sector of 512 bytes.
//!
//! The command is a decimal number (42: WRITE(10)), a hexadecimal one (`2a`, `0x2a`) or a word; of
//! the two bases the one counts in which the beginning of the file makes sense. Other commands than
//! reads, writes and a synchronisation of the cache are no requests, nor are reads and writes
//! without length.

use crate::error::Fault;
use crate::operation::Operation;
use crate::options::{OpenOptions, TimeUnit};
use crate::pages::SECTOR_BYTES;
use crate::readers::clock::Clock;
use crate::readers::fields::{Fields, number, sectors, time};
use crate::readers::sink::Record;
use crate::readers::stream::{Parser, lines_of};
use crate::readers::vscsi;
use crate::readers::words;

/// See the module.
pub(crate) struct VscsiCsv {
    clock: Clock,
    is_hexadecimal: bool,
}

impl Parser for VscsiCsv {
    const EXAMPLES: &'static [&'static [u8]] = &[
        b"version,time,op,size,lbn\n1,1000,42,8192,8\n1,1005,40,512,0\n",
        b"version,time,op,size,lbn\n2,1000,2a,8192,8\n2,1005,28,512,0\n",
        b"1,1000,42,8192,8\n1,1005,40,512,0\n",
    ];

    fn start(head: &[u8], options: &OpenOptions) -> Self {
        let command_of = |line| {
            let mut fields = Fields::new(line);
            std::iter::from_fn(move || fields.until(b',')).nth(2)
        };
        // No decimal command of a disk is 28, and none holds a letter.
        let hexadecimal = |command: &[u8]| {
            let digits = command.strip_prefix(b"0x").unwrap_or(command);
            let has_letter = digits.iter().any(u8::is_ascii_alphabetic);
            command == b"28" || (has_letter && digits.iter().all(u8::is_ascii_hexdigit))
        };
        let is_hexadecimal = lines_of(head).filter_map(command_of).any(hexadecimal);
        Self { clock: Clock::stated(options, TimeUnit::Microseconds), is_hexadecimal }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        let mut fields = Fields::new(line);
        let mut next = || fields.until(b',').map(<[u8]>::trim_ascii);
        let version = next().unwrap_or_default();
        if !matches!(version, b"1" | b"2") {
            return Err(Fault::field("the version must be 1 or 2", version));
        }
        let at_ns = time(next(), self.clock.unit_ns())?;
        let operation = self.operation(next().unwrap_or_default())?;
        let length_bytes = number(next(), "length")?;
        // Tells it from other csv with numbers in all columns.
        if operation.is_some_and(|operation| operation != Operation::Flush)
            && !length_bytes.is_multiple_of(SECTOR_BYTES)
        {
            return Err(Fault::new(format!("the length {length_bytes} is not made of sectors")));
        }
        let offset_bytes = sectors(next(), "sector")?;
        if let Some(more) = next() {
            return Err(Fault::field("the line must end after the sector", more));
        }
        let operation = operation.filter(|operation| length_bytes > 0 || *operation == Operation::Flush);
        Ok(operation.map(|operation| Record::new(at_ns, operation, offset_bytes, length_bytes)))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }

    fn note(&self) -> String {
        if self.is_hexadecimal { "commands are hexadecimal".to_owned() } else { String::new() }
    }
}

impl VscsiCsv {
    fn operation(&self, command: &[u8]) -> Result<Option<Operation>, Fault> {
        if let Some(operation) = words::operation(command).filter(|_| !self.is_hexadecimal) {
            return Ok(Some(operation));
        }
        let digits = command.strip_prefix(b"0x").unwrap_or(command);
        let base = if self.is_hexadecimal || digits.len() < command.len() { 16 } else { 10 };
        let number = std::str::from_utf8(digits).ok().filter(|text| !text.starts_with('+'));
        let number = number.and_then(|text| u16::from_str_radix(text, base).ok());
        match number {
            Some(number @ 0..=0xff) => Ok(vscsi::operation(number)),
            _ => Err(Fault::field("the third column must be a SCSI command", command)),
        }
    }
}
