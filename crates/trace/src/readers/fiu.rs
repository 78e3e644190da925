//! FIU: `time_ns pid process sector sectors R|W major minor md5`, with the digest of the content.
//!
//! The digest is one MD5, or in the traces of `homes` one for each sector, written without blanks.
//! It becomes a fingerprint where the request touches one page of 4 KiB only; a digest of
//! several pages says nothing about each, so the content of longer requests stays unknown. Koller
//! and Rangaswami, "I/O deduplication: utilizing content similarity to improve I/O performance",
//! FAST 2010.

use crate::error::Fault;
use crate::options::{OpenOptions, TimeUnit};
use crate::readers::clock::Clock;
use crate::readers::fields::{Fields, missing, number, sectors, time};
use crate::readers::sink::Record;
use crate::readers::stream::Parser;
use crate::readers::words::read_or_write;
use crate::request::Fingerprint;

/// Hexadecimal digits of an MD5.
const DIGEST_DIGITS: usize = 32;

/// See the module.
pub(crate) struct Fiu {
    clock: Clock,
}

impl Parser for Fiu {
    const EXAMPLES: &'static [&'static [u8]] = &[
        b"100 42 nfsd 8 8 W 6 0 000102030405060708090a0b0c0d0e0f\n300 42 a daemon 0 1 R 6 0 ffffffffffffffffffffffffffffffff\n",
        b"100 42 nfsd 8 2 W 6 0 000102030405060708090a0b0c0d0e0fffffffffffffffffffffffffffffffff\n",
    ];

    fn start(_head: &[u8], options: &OpenOptions) -> Self {
        Self { clock: Clock::stated(options, TimeUnit::Nanoseconds) }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        let mut fields = Fields::new(line);
        let at_ns = time(fields.word(), self.clock.unit_ns())?;
        number(fields.word(), "process number")?;
        // The process's name may hold blanks, so the rest is read from its end.
        let mut back =
            fields.rest().rsplit(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
        let digest = back.next().ok_or_else(|| missing("digest"))?;
        let (minor, major) = (back.next(), back.next());
        let operation = back.next();
        let (count, sector) = (back.next(), back.next());
        number(major, "major device number")?;
        number(minor, "minor device number")?;
        let operation = read_or_write(operation)?;
        let digests = fingerprint(digest, count)?;
        let length_bytes = sectors(count, "number of sectors")?;
        let offset_bytes = sectors(sector, "sector")?;
        let record = Record::new(at_ns, operation, offset_bytes, length_bytes);
        Ok(Some(Record { fingerprint: digests, ..record }))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }
}

/// Odd, so that no digest of a page is lost in the sum.
const BASE: Fingerprint = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

/// The digest of a request of `count` sectors: its MD5, or one made of those of its sectors.
fn fingerprint(digest: &[u8], count: Option<&[u8]>) -> Result<Option<Fingerprint>, Fault> {
    let parts = digest.len() / DIGEST_DIGITS;
    let is_whole = !digest.is_empty() && digest.len().is_multiple_of(DIGEST_DIGITS);
    let fits = parts == 1 || number(count, "number of sectors")? == parts as u64;
    if !is_whole || !fits || !digest.iter().all(u8::is_ascii_hexdigit) {
        let expected = "the last column must be an MD5 of 32 hexadecimal digits, or one for each sector";
        return Err(Fault::field(expected, digest));
    }
    let part = |digits: &[u8]| Fingerprint::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    // Digests are as good as drawn at random, so a polynomial of them is, too.
    Ok(digest
        .chunks(DIGEST_DIGITS)
        .try_fold(0, |sum: Fingerprint, digits| Some(sum.wrapping_mul(BASE).wrapping_add(part(digits)?))))
}
