//! A compact trace that was cut short, made whole again up to its last whole block.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::{BLOCK_HEADER_BYTES, BLOCK_LIMIT_BYTES, HEADER_BYTES, TEXT_LIMIT_BYTES, block_kind, is_compact};

/// A place behind a whole block, and the requests up to there.
type Cut = (u64, u64);

/// Cuts `path` off behind its last whole block and gives it its end mark: a trace that was being
/// written when its disk was full or its writer was killed. Returns its requests; of a whole trace
/// nothing is changed.
///
/// # Errors
/// A file that does not begin as a compact trace, and those of the system.
pub fn salvage(path: &Path) -> io::Result<u64> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let (mut cuts, is_whole) = whole_blocks(&file)?;
    while let Some((at, requests)) = cuts.pop() {
        if is_whole {
            return Ok(requests);
        }
        file.set_len(at)?;
        file.seek(SeekFrom::Start(at))?;
        match file.write_all(&end_mark(requests)).and_then(|()| file.sync_all()) {
            // What was cut off has room for the end mark, or else the block before has.
            Err(error) if error.kind() == io::ErrorKind::StorageFull && !cuts.is_empty() => {}
            written => return written.map(|()| requests),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "does not begin like a compact trace"))
}

/// Places behind the header and each whole block, and whether the end mark was reached.
fn whole_blocks(file: &File) -> io::Result<(Vec<Cut>, bool)> {
    let mut from = BufReader::new(file);
    let Some(header) = header_bytes(&mut from)? else { return Ok((Vec::new(), false)) };
    let mut cuts = vec![(header, 0)];
    while let Some((kind, count, bytes)) = block(&mut from)? {
        let (at, requests) = cuts[cuts.len() - 1];
        let requests = requests + if kind == block_kind::REQUESTS { count } else { 0 };
        cuts.push((at + bytes, requests));
        if kind == block_kind::END {
            return Ok((cuts, true));
        }
    }
    Ok((cuts, false))
}

/// Bytes of the header, if it is whole.
fn header_bytes(from: &mut impl Read) -> io::Result<Option<u64>> {
    let Some(fixed) = exactly(from, HEADER_BYTES)? else { return Ok(None) };
    let text_bytes = u32::from_le_bytes([fixed[22], fixed[23], fixed[24], fixed[25]]) as usize;
    if !is_compact(&fixed) || text_bytes > TEXT_LIMIT_BYTES {
        return Ok(None);
    }
    let Some(rest) = exactly(from, text_bytes + 4)? else { return Ok(None) };
    let (text, stored) = rest.split_at(text_bytes);
    let is_right = checksum(&[&fixed, text]) == stored;
    Ok(is_right.then_some((fixed.len() + rest.len()) as u64))
}

/// Kind, count and bytes of the next block; `None` if it is not whole.
fn block(from: &mut impl Read) -> io::Result<Option<(u8, u64, u64)>> {
    let Some(header) = exactly(from, BLOCK_HEADER_BYTES)? else { return Ok(None) };
    let number = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let stored_bytes = number(13) as usize;
    if stored_bytes > BLOCK_LIMIT_BYTES {
        return Ok(None);
    }
    let Some(stored) = exactly(from, stored_bytes)? else { return Ok(None) };
    let is_right = checksum(&[&header[..17], &stored]) == header[17..];
    let count = u64::from(number(1)) | u64::from(number(5)) << 32;
    Ok(is_right.then_some((header[0], count, (header.len() + stored.len()) as u64)))
}

fn exactly(from: &mut impl Read, bytes: usize) -> io::Result<Option<Vec<u8>>> {
    let mut found = Vec::new();
    from.take(bytes as u64).read_to_end(&mut found)?;
    Ok((found.len() == bytes).then_some(found))
}

fn checksum(parts: &[&[u8]]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize().to_le_bytes()
}

fn end_mark(requests: u64) -> Vec<u8> {
    let mut mark = vec![block_kind::END];
    mark.extend_from_slice(&requests.to_le_bytes());
    mark.extend_from_slice(&[0; 8]);
    let checksum = checksum(&[&mark]);
    mark.extend_from_slice(&checksum);
    mark
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test may stop where it stands

    use super::*;
    use crate::{CompactWriter, OpenOptions as Options, Operation, Request, info, open};

    fn trace() -> Vec<u8> {
        let mut writer = CompactWriter::new(Vec::new(), "cut", 0).unwrap();
        for at in 0..30 {
            writer.push(&Request::new(at, Operation::Write, at * 4096, 4096), None).unwrap();
            if at % 10 == 9 {
                writer.flush().unwrap();
            }
        }
        writer.finish().unwrap()
    }

    #[test]
    fn wherever_it_is_cut_a_trace_has_what_was_whole() {
        let whole = trace();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cut.rwt");
        let mut found = Vec::new();
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let Ok(requests) = salvage(&path) else { continue };
            found.push(requests);
            if requests > 0 {
                let mut source = open(&path, &Options::default()).unwrap();
                assert_eq!(info(&mut *source).unwrap().requests, requests, "cut at {length}");
            }
        }
        assert!(found.is_sorted());
        found.dedup();
        assert_eq!(found, [0, 10, 20, 30]);
        assert_eq!(std::fs::read(&path).unwrap(), whole, "a whole one stays");
    }

    #[test]
    fn damage_ends_it_as_a_cut_does() {
        let mut damaged = trace();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 1;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("damaged.rwt");
        std::fs::write(&path, &damaged).unwrap();
        assert_eq!(salvage(&path).unwrap(), 10);
        assert_eq!(salvage(&path).unwrap(), 10);
    }
}
