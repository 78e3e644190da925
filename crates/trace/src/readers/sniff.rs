//! Recognises formats by trying their parsers on the beginning of a file.

use crate::options::OpenOptions;
use crate::readers::stream::{Parser, records_of, whole_lines};

/// Refusals at the beginning that rule a format out without further ado.
const REFUSALS: u32 = 8;

/// Lines that decide on a format: requests, and what is refused.
const SNIFFED_LINES: u32 = 200;

/// Bytes of a first malformed line that must be right before it says anything about the format:
/// `0,write,`.
const LEAST_RIGHT_BYTES: usize = 4;

/// True when the format's parser finds requests in the head, and at least four for each line that
/// it refuses.
pub(crate) fn parses<P: Parser>(head: &[u8]) -> bool {
    accepts::<P>(head, 4)
}

/// True when the format's parser finds requests in the head, and no more lines that it refuses: a
/// short or damaged file, whose faults its reader then names line by line.
pub(crate) fn parses_half<P: Parser>(head: &[u8]) -> bool {
    accepts::<P>(head, 1)
}

fn accepts<P: Parser>(head: &[u8], requests_per_refusal: u32) -> bool {
    let mut parser = P::start(whole_lines(head), &OpenOptions::default());
    let (mut requests, mut refused) = (0u32, 0u32);
    for (_, line) in records_of::<P>(head) {
        match parser.parse(line) {
            Ok(Some(_)) => requests += 1,
            Ok(None) => {}
            Err(_) => refused += 1,
        }
        if requests == 0 && refused == REFUSALS {
            return false;
        }
        if requests + refused == SNIFFED_LINES {
            break;
        }
    }
    requests > 0 && refused * requests_per_refusal <= requests
}

/// How close a head that is in no known format comes to one.
pub(crate) struct Closeness {
    /// The first line that is refused, counted from 1.
    pub(crate) line: u64,
    /// The fault.
    pub(crate) problem: String,
    requests: u32,
    right_bytes: usize,
}

impl Closeness {
    /// Orders formats by how close they come: by the requests they find, and how much of the line is
    /// right.
    pub(crate) fn rank(&self) -> (u32, usize) {
        (self.requests, self.right_bytes)
    }
}

/// The first fault of the head as one in the format of `P`; `None` where it has nothing in common with
/// it.
pub(crate) fn closeness<P: Parser>(head: &[u8]) -> Option<Closeness> {
    let mut parser = P::start(whole_lines(head), &OpenOptions::default());
    let (mut requests, mut refused, mut first) = (0u32, 0u32, None);
    for (number, line) in records_of::<P>(head) {
        match parser.parse(line) {
            Ok(Some(_)) => requests += 1,
            Ok(None) => {}
            Err(fault) => {
                refused += 1;
                first.get_or_insert_with(|| (number, fault.right_bytes(line), fault.problem));
            }
        }
        if requests + refused == SNIFFED_LINES {
            break;
        }
    }
    let (line, right_bytes, problem) = first?;
    let close = requests > 0 || right_bytes >= LEAST_RIGHT_BYTES;
    close.then_some(Closeness { line, problem, requests, right_bytes })
}
