//! Takes an input apart into the arguments of a decoder.

/// The rest of an input. After its end come zeros, so that every input is long enough.
pub struct Input<'a>(pub &'a [u8]);

impl Input<'_> {
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// A number below `bound`, of one byte.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::from(self.byte()) % bound
    }

    /// The next `count` bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        let mut bytes = taken.to_vec();
        bytes.resize(count, 0);
        bytes
    }

    /// The next number.
    pub fn u64(&mut self) -> u64 {
        self.bytes(8).iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    /// About `size`: seldom some bytes more or fewer, which a decoder must refuse.
    pub fn about(&mut self, size: usize) -> usize {
        match self.byte() {
            255 => size + 1,
            254 => size.saturating_sub(1),
            253 => 0,
            _ => size,
        }
    }
}
