//! The words and letters by which traces name operations.

use crate::error::Fault;
use crate::operation::Operation;

/// The operation a word or letter stands for, in any case.
pub(crate) fn operation(word: &[u8]) -> Option<Operation> {
    const WORDS: [(&str, Operation); 15] = [
        ("r", Operation::Read),
        ("w", Operation::Write),
        ("read", Operation::Read),
        ("write", Operation::Write),
        ("overwrite", Operation::Overwrite),
        ("trim", Operation::Trim),
        ("discard", Operation::Trim),
        ("unmap", Operation::Trim),
        ("d", Operation::Trim),
        ("flush", Operation::Flush),
        ("sync", Operation::Flush),
        ("datasync", Operation::Flush),
        ("sync_file_range", Operation::Flush),
        ("f", Operation::Flush),
        ("update-handle", Operation::UpdateHandle),
    ];
    WORDS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes())).map(|&(_, operation)| operation)
}

/// The operation of a word of any tool: a word or letter of [`operation`], the kernel's letters, or a
/// name with `read`, `write`, `trim`, `discard` or `flush` in it (`DiskRead`, `pwrite64`).
pub(crate) fn any(word: &[u8]) -> Option<Operation> {
    /// No name of an operation is longer.
    const LONGEST: usize = 40;
    const PARTS: [(&[u8], Operation); 7] = [
        (b"write", Operation::Write),
        (b"read", Operation::Read),
        (b"preadv", Operation::Read),
        (b"discard", Operation::Trim),
        (b"trim", Operation::Trim),
        (b"unmap", Operation::Trim),
        (b"flush", Operation::Flush),
    ];
    if let Some(operation) = operation(word) {
        return Some(operation);
    }
    if word.len() > LONGEST || !word.first().is_some_and(u8::is_ascii_alphabetic) {
        return None;
    }
    let small = word.to_ascii_lowercase();
    let part = |part: &[u8]| small.windows(part.len()).any(|window| window == part);
    PARTS.iter().find(|(name, _)| part(name)).map(|&(_, operation)| operation).or_else(|| {
        let letters = word.len() <= 6 && word.iter().all(u8::is_ascii_uppercase);
        if letters { kernel_letters(word, true) } else { None }
    })
}

/// The column that must be a `R` or `W` in either case.
#[inline]
pub(crate) fn read_or_write(field: Option<&[u8]>) -> Result<Operation, Fault> {
    match field {
        Some(b"R" | b"r") => Ok(Operation::Read),
        Some(b"W" | b"w") => Ok(Operation::Write),
        other => Err(Fault::field("the operation must be R or W", other.unwrap_or_default())),
    }
}

/// The column that must be 0 for a write or 1 for a read.
#[inline]
pub(crate) fn zero_writes(field: Option<&[u8]>) -> Result<Operation, Fault> {
    match field {
        Some(b"0") => Ok(Operation::Write),
        Some(b"1") => Ok(Operation::Read),
        other => Err(Fault::field("the operation must be 0 (write) or 1 (read)", other.unwrap_or_default())),
    }
}

/// The operation of the kernel's letters for a block request (`R`, `WS`, `FWFSM`, `DS`, ...):
/// `None` where no data move and nothing is flushed. A leading F asks for a flush before the data;
/// without data it is the flush itself.
pub(crate) fn kernel_letters(letters: &[u8], has_data: bool) -> Option<Operation> {
    let (flushes, rest) = match letters {
        [b'F', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    match rest.first() {
        Some(b'D') => Some(Operation::Trim),
        Some(b'W') if has_data => Some(Operation::Write),
        Some(b'R') if has_data => Some(Operation::Read),
        _ if flushes => Some(Operation::Flush),
        _ => None,
    }
}
