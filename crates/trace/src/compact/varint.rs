//! Variable-length integers: seven bits a byte, the least significant first, the high bit set in
//! all but the last (LEB128).

/// Appends `value` in 1 to 10 bytes.
#[inline]
pub(crate) fn put(into: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}

/// Takes a value off the front of `from`; `None` when it is cut short or exceeds 64 bits.
#[inline]
pub(crate) fn take(from: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for (index, &byte) in from.iter().enumerate().take(10) {
        if index == 9 && byte > 1 {
            return None;
        }
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            *from = &from[index + 1..];
            return Some(value);
        }
    }
    None
}

/// Small magnitudes of either sign to small numbers: 0, -1, 1, -2, ... to 0, 1, 2, 3, ...
#[inline]
pub(crate) fn zigzag(difference: i64) -> u64 {
    ((difference << 1) ^ (difference >> 63)) as u64
}

/// The inverse of [`zigzag`].
#[inline]
pub(crate) fn unzigzag(code: u64) -> i64 {
    (code >> 1) as i64 ^ -((code & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_comes_back_and_cuts_are_noticed() {
        for bits in 0..64 {
            for value in [1u64 << bits, (1 << bits) - 1, u64::MAX >> bits] {
                let mut bytes = Vec::new();
                put(&mut bytes, value);
                assert_eq!(take(&mut &bytes[..]), Some(value));
                assert_eq!(take(&mut &bytes[..bytes.len() - 1]), None);
                assert_eq!(unzigzag(zigzag(value as i64)), value as i64);
            }
        }
        assert_eq!(take(&mut &[0xff; 10][..]), None);
    }
}
