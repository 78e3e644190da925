//! Fields and numbers out of the bytes of a line, without allocation and without floating point.

use crate::error::Fault;
use crate::pages::SECTOR_BYTES;

/// Walks over the fields of a line.
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
    more: bool,
}

impl<'a> Fields<'a> {
    #[inline]
    pub(crate) fn new(line: &'a [u8]) -> Self {
        Self { rest: line, more: true }
    }

    /// The bytes up to the next `separator` or the end of the line.
    #[inline]
    pub(crate) fn until(&mut self, separator: u8) -> Option<&'a [u8]> {
        if !self.more {
            return None;
        }
        match self.rest.iter().position(|&byte| byte == separator) {
            Some(at) => {
                let field = &self.rest[..at];
                self.rest = &self.rest[at + 1..];
                Some(field)
            }
            None => {
                self.more = false;
                Some(std::mem::take(&mut self.rest))
            }
        }
    }

    /// The next run of bytes that are neither space nor tab.
    #[inline]
    pub(crate) fn word(&mut self) -> Option<&'a [u8]> {
        let start = self.rest.iter().position(|byte| !matches!(byte, b' ' | b'\t'))?;
        let rest = &self.rest[start..];
        let end = rest.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(rest.len());
        self.rest = &rest[end..];
        Some(&rest[..end])
    }

    /// The part that has not been walked over.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

/// A decimal number of digits only, or `None`, also when it exceeds 64 bits.
#[inline]
pub(crate) fn digits(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    let mut value: u64 = 0;
    if text.len() <= 19 {
        for &byte in text {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            value = value * 10 + u64::from(digit);
        }
        return Some(value);
    }
    for &byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    Some(value)
}

/// The number in a field, or what is wrong with it; `what` names the field.
#[inline]
pub(crate) fn number(field: Option<&[u8]>, what: &str) -> Result<u64, Fault> {
    let text = field.ok_or_else(|| missing(what))?;
    digits(text).ok_or_else(|| Fault::field(&format!("the {what} must be a whole number below 2^64"), text))
}

/// A number of sectors, in bytes.
#[inline]
pub(crate) fn sectors(field: Option<&[u8]>, what: &str) -> Result<u64, Fault> {
    let count = number(field, what)?;
    count
        .checked_mul(SECTOR_BYTES)
        .ok_or_else(|| Fault::new(format!("the {what} {count} exceeds 2^64 bytes")))
}

/// A hexadecimal number with a leading `0x`, or a decimal one.
pub(crate) fn hexadecimal(field: Option<&[u8]>, what: &str) -> Result<u64, Fault> {
    let text = field.ok_or_else(|| missing(what))?;
    match text.strip_prefix(b"0x") {
        Some(hex) => std::str::from_utf8(hex)
            .ok()
            .filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|hex| u64::from_str_radix(hex, 16).ok())
            .ok_or_else(|| {
                Fault::field(&format!("the {what} must be a hexadecimal number below 2^64"), text)
            }),
        None => number(Some(text), what),
    }
}

/// A time in units of `unit_ns` (a power of ten), with or without fraction and exponent, in
/// nanoseconds; digits below a nanosecond are cut off.
#[inline]
pub(crate) fn time(field: Option<&[u8]>, unit_ns: u64) -> Result<u64, Fault> {
    let text = field.ok_or_else(|| missing("time"))?;
    if let Some(value) = digits(text).and_then(|whole| whole.checked_mul(unit_ns)) {
        return Ok(value);
    }
    decimal(text, unit_ns)
        .ok_or_else(|| Fault::field("the time must be a number, not negative and below 2^64 ns", text))
}

fn decimal(text: &[u8], unit_ns: u64) -> Option<u64> {
    let (mantissa, exponent) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => (&text[..at], signed(&text[at + 1..])?),
        None => (text, 0),
    };
    let (whole, fraction) = match mantissa.iter().position(|&byte| byte == b'.') {
        Some(at) => (&mantissa[..at], &mantissa[at + 1..]),
        None => (mantissa, &[][..]),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    // Beyond 18 digits a fraction says nothing about nanoseconds.
    let kept = &fraction[..fraction.len().min(18)];
    if !fraction.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let whole = if whole.is_empty() { 0 } else { u128::from(digits(whole)?) };
    let fraction = if kept.is_empty() { 0 } else { u128::from(digits(kept)?) };
    let value = whole.checked_mul(10u128.pow(kept.len() as u32))?.checked_add(fraction)?;
    let value = value.checked_mul(u128::from(unit_ns))?;
    let scale = exponent - kept.len() as i32;
    let scaled = if scale >= 0 {
        value.checked_mul(10u128.checked_pow(scale as u32)?)?
    } else {
        10u128.checked_pow(scale.unsigned_abs()).map_or(0, |power| value / power)
    };
    u64::try_from(scaled).ok()
}

fn signed(text: &[u8]) -> Option<i32> {
    let (sign, magnitude) = match text {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        rest => (1, rest),
    };
    let magnitude = i32::try_from(digits(magnitude)?).ok().filter(|&magnitude| magnitude < 1000)?;
    Some(sign * magnitude)
}

#[cold]
pub(crate) fn missing(what: &str) -> Fault {
    Fault::new(format!("the line ends before the {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact() {
        let ns = |text: &str, unit_ns| time(Some(text.as_bytes()), unit_ns).ok();
        assert_eq!(ns("5265.313", 1_000_000), Some(5_265_313_000));
        assert_eq!(ns("1456095145.133076001", 1_000_000_000), Some(1_456_095_145_133_076_001));
        assert_eq!(ns("0.1", 1), Some(0));
        assert_eq!(ns(".5", 100), Some(50));
        assert_eq!(ns("6.942e-06", 1_000_000_000), Some(6942));
        assert_eq!(ns("2e3", 1000), Some(2_000_000));
        assert_eq!(ns("128166385295514663", 100), Some(12_816_638_529_551_466_300));
        assert_eq!(
            ns("1538323199.000000000000000000000000001", 1_000_000_000),
            Some(1_538_323_199_000_000_000)
        );
        for bad in ["", ".", "-1", "1.2.3", "1e", "1e99999", "nan", "0x10", "1 ", "99999999999999999999"] {
            assert_eq!(ns(bad, 1_000_000_000), None, "{bad}");
        }
    }

    #[test]
    fn numbers_do_not_wrap() {
        assert_eq!(digits(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(digits(b"18446744073709551616"), None);
        assert_eq!(digits(b"00000000000000000000007"), Some(7));
        assert_eq!(digits(b"+1"), None);
    }

    #[test]
    fn fields_end_where_the_line_ends() {
        let mut fields = Fields::new(b"a,,b");
        assert_eq!(
            [fields.until(b','), fields.until(b','), fields.until(b',')],
            [Some(&b"a"[..]), Some(b""), Some(b"b")]
        );
        assert_eq!(fields.until(b','), None);
        let mut words = Fields::new(b"  x \t yz ");
        assert_eq!([words.word(), words.word(), words.word()], [Some(&b"x"[..]), Some(b"yz"), None]);
    }
}
