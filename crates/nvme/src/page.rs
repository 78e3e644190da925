//! A structure with mostly reserved bytes: zeros, and fields at the offsets of the
//! specification.

/// Bytes of most structures: those of Identify, of log pages in whole pages.
pub(crate) const PAGE_BYTES: usize = 4096;

/// Zeros with fields in them, little-endian.
#[derive(Debug)]
pub(crate) struct Page(Vec<u8>);

impl Page {
    pub(crate) fn new(bytes: usize) -> Page {
        Page(vec![0; bytes])
    }

    /// A field of the given bytes.
    pub(crate) fn put(&mut self, at: usize, field: &[u8]) -> &mut Page {
        self.0[at..at + field.len()].copy_from_slice(field);
        self
    }

    pub(crate) fn u8(&mut self, at: usize, value: u8) -> &mut Page {
        self.put(at, &[value])
    }

    pub(crate) fn u16(&mut self, at: usize, value: u16) -> &mut Page {
        self.put(at, &value.to_le_bytes())
    }

    pub(crate) fn u32(&mut self, at: usize, value: u32) -> &mut Page {
        self.put(at, &value.to_le_bytes())
    }

    pub(crate) fn u64(&mut self, at: usize, value: u64) -> &mut Page {
        self.put(at, &value.to_le_bytes())
    }

    pub(crate) fn u128(&mut self, at: usize, value: u128) -> &mut Page {
        self.put(at, &value.to_le_bytes())
    }

    /// ASCII, padded with spaces to `length` (Base 1.4.2).
    pub(crate) fn text(&mut self, at: usize, length: usize, text: &str) -> &mut Page {
        self.0[at..at + length].fill(b' ');
        let text: Vec<u8> =
            text.bytes().map(|byte| if byte.is_ascii_graphic() { byte } else { b' ' }).collect();
        self.put(at, &text[..text.len().min(length)])
    }

    /// A string that ends with a zero.
    pub(crate) fn string(&mut self, at: usize, length: usize, text: &str) -> &mut Page {
        self.put(at, &text.as_bytes()[..text.len().min(length - 1)])
    }

    pub(crate) fn done(self) -> Vec<u8> {
        self.0
    }
}

/// A little-endian number of at most eight bytes.
pub(crate) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
