//! The writers of a recorded file system: bytes, rewrites and flushes of each file, of the journal and
//! of the metadata.

use std::io::Write;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::page_table::PageTable;
use crate::compact::owners::{Owner, OwnerKind, Run};
use crate::compact::reader::{CompactSource, Told};
use crate::compact::writer::CompactWriter;
use crate::decompress::{HEAD_BYTES, Input};
use crate::error::TraceError;
use crate::info::INFO_PAGE_BYTES;
use crate::operation::Operation;
use crate::options::OpenOptions;
use crate::request::{Batch, Request};
use crate::source::Source;

/// A rewrite that comes sooner than the kernel writes back by itself (`dirty_expire_centisecs`, 30 s)
/// was forced out.
const SOON_NS: u64 = 30_000_000_000;

/// One file, or one part of the file system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Writer {
    /// File, journal, metadata or free space; `None` where the recording does not tell.
    pub kind: Option<OwnerKind>,
    /// Path of a file at the time of its writes; empty for all others.
    pub name: String,
    /// Bytes written to the device.
    pub written_bytes: u64,
    /// Bytes trimmed.
    pub trimmed_bytes: u64,
    /// Requests that write some of its bytes.
    pub writes: u64,
    /// Page writes (4 KiB) of a page that it wrote last, too.
    pub rewrites: u64,
    /// Those within 30 s.
    pub rewrites_within_30_s: u64,
    /// Pages (4 KiB) that were trimmed after it wrote them last: of a file that is written anew, all.
    pub discards: u64,
    /// Flushes with writes of it since the flush before.
    pub flushes: u64,
}

/// All writers of a recording. Their bytes add up to those of the device, exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Writers {
    /// From the first request to the last, ns.
    pub duration_ns: u64,
    /// Bytes written to the device.
    pub written_bytes: u64,
    /// Bytes trimmed on the device.
    pub trimmed_bytes: u64,
    /// Flushes of the device.
    pub flushes: u64,
    /// Bytes written to make the file system; in no other figure.
    pub preparation_bytes: u64,
    /// Bytes that the recorded programs passed to write calls, to terminals and pipes as well; `None`
    /// where unknown.
    pub asked_bytes: Option<u64>,
    /// The writers, by bytes written, the most first.
    pub writers: Vec<Writer>,
}

/// Reads who wrote a recording; `None` of a trace that does not tell.
///
/// Memory: 16 bytes for each run of an owner, and about 40 for each distinct page.
///
/// # Errors
/// A file that cannot be read to its end.
pub fn who_writes(path: &Path) -> Result<Option<Writers>, TraceError> {
    let Some((mut source, told)) = told_of(path)? else { return Ok(None) };
    let mut sums = Sums::new(told);
    let mut batch = Batch::default();
    while source.fill(&mut batch)? > 0 {
        for request in &batch.requests {
            sums.add(request)?;
        }
    }
    Ok(Some(sums.finish()))
}

/// A recording at its beginning, and what it says about who wrote, if anything.
pub(crate) fn told_of(path: &Path) -> Result<Option<(CompactSource, Told)>, TraceError> {
    let mut input = Input::open(path)?;
    input.look_ahead(HEAD_BYTES)?;
    if !crate::compact::is_compact(input.available()) {
        return Ok(None);
    }
    let mut source =
        CompactSource::new(input, &OpenOptions::default()).map_err(|error| error.in_file(path))?;
    let told = source.told()?;
    Ok((!told.owners.is_empty()).then_some((source, told)))
}

/// Copies who wrote from the recording at `path` to a trace of all its requests; nothing from a trace
/// that does not tell.
///
/// # Errors
/// A recording that cannot be read, and those of the output.
pub fn copy_owners<W: Write>(path: &Path, writer: &mut CompactWriter<W>) -> Result<(), TraceError> {
    let Some((_, told)) = told_of(path)? else { return Ok(()) };
    told.owners.into_iter().for_each(|owner| writer.owner(owner));
    let runs = told.runs.iter().try_for_each(|&(owner, bytes)| writer.owned(owner, bytes));
    runs.and_then(|()| told.asked_bytes.map_or(Ok(()), |bytes| writer.asked(bytes)))
        .map_err(|error| TraceError::from_read(error).in_file(path))
}

/// Runs that are still to come.
pub(crate) struct Runs {
    /// In reverse.
    left: Vec<Run>,
    /// Whose all is behind them.
    nobody: u32,
}

impl Runs {
    pub(crate) fn new(mut runs: Vec<Run>, nobody: u32) -> Self {
        runs.reverse();
        Self { left: runs, nobody }
    }

    /// The owner of at most the next `most` bytes, and how many are his.
    pub(crate) fn next(&mut self, most: u64) -> (u32, u64) {
        while let Some((owner, left)) = self.left.last_mut() {
            if *left == 0 {
                self.left.pop();
                continue;
            }
            let bytes = most.min(*left);
            *left -= bytes;
            return (*owner, bytes);
        }
        // The recording was cut short before this was told.
        (self.nobody, most)
    }
}

/// Last write of a page.
#[derive(Clone, Copy)]
struct Last {
    at_ns: u64,
    owner: u32,
    is_trimmed: bool,
}

/// Writers under way.
struct Sums {
    runs: Runs,
    /// By owner; the last is who is not told.
    writers: Vec<Writer>,
    all: Writers,
    table: PageTable,
    last: Vec<Last>,
    /// Owners with writes since the last flush.
    unflushed: Vec<u32>,
    is_unflushed: Vec<bool>,
}

impl Sums {
    fn new(told: Told) -> Self {
        let writer = |kind, name| Writer {
            kind,
            name,
            written_bytes: 0,
            trimmed_bytes: 0,
            writes: 0,
            rewrites: 0,
            rewrites_within_30_s: 0,
            discards: 0,
            flushes: 0,
        };
        let named = told.owners.into_iter().map(|Owner { kind, name }| writer(Some(kind), name));
        let writers: Vec<_> = named.chain([writer(None, String::new())]).collect();
        let (preparation_bytes, asked_bytes) = (told.preparation_bytes, told.asked_bytes);
        Self {
            runs: Runs::new(told.runs, writers.len() as u32 - 1),
            is_unflushed: vec![false; writers.len()],
            writers,
            all: Writers { preparation_bytes, asked_bytes, ..Writers::default() },
            table: PageTable::default(),
            last: Vec::new(),
            unflushed: Vec::new(),
        }
    }

    fn add(&mut self, request: &Request) -> Result<(), TraceError> {
        self.all.duration_ns = self.all.duration_ns.max(request.at_ns);
        match request.operation {
            Operation::Flush => self.flush(),
            Operation::Read | Operation::UpdateHandle => {}
            Operation::Trim => {
                self.all.trimmed_bytes += request.length_bytes;
                let mut left = request.length_bytes;
                while left > 0 {
                    let (owner, bytes) = self.runs.next(left);
                    self.writers[owner as usize].trimmed_bytes += bytes;
                    left -= bytes;
                }
                self.discard(request);
            }
            Operation::Write | Operation::Overwrite => return self.write(request),
        }
        Ok(())
    }

    fn discard(&mut self, trim: &Request) {
        for page in trim.pages(INFO_PAGE_BYTES) {
            let Some(number) = self.table.find(page) else { continue };
            let last = &mut self.last[number as usize];
            if !std::mem::replace(&mut last.is_trimmed, true) {
                self.writers[last.owner as usize].discards += 1;
            }
        }
    }

    fn write(&mut self, request: &Request) -> Result<(), TraceError> {
        self.all.written_bytes += request.length_bytes;
        let (mut at, mut before) = (request.offset_bytes, None);
        while at < request.end_bytes() {
            let (owner, bytes) = self.runs.next(request.end_bytes() - at);
            let writer = &mut self.writers[owner as usize];
            writer.written_bytes += bytes;
            writer.writes += u64::from(before != Some(owner));
            before = Some(owner);
            if !std::mem::replace(&mut self.is_unflushed[owner as usize], true) {
                self.unflushed.push(owner);
            }
            for page in Request::new(0, Operation::Write, at, bytes).pages(INFO_PAGE_BYTES) {
                self.write_page(page, Last { at_ns: request.at_ns, owner, is_trimmed: false })?;
            }
            at += bytes;
        }
        Ok(())
    }

    fn write_page(&mut self, page: u64, now: Last) -> Result<(), TraceError> {
        let number = self.table.number(page)? as usize;
        match self.last.get_mut(number) {
            None => self.last.push(now),
            Some(last) => {
                let before = std::mem::replace(last, now);
                if before.owner == now.owner {
                    let writer = &mut self.writers[now.owner as usize];
                    writer.rewrites += 1;
                    let is_soon = now.at_ns.saturating_sub(before.at_ns) < SOON_NS;
                    writer.rewrites_within_30_s += u64::from(is_soon);
                }
            }
        }
        Ok(())
    }

    fn flush(&mut self) {
        self.all.flushes += 1;
        for owner in self.unflushed.drain(..) {
            self.writers[owner as usize].flushes += 1;
            self.is_unflushed[owner as usize] = false;
        }
    }

    fn finish(mut self) -> Writers {
        self.writers.retain(|writer| writer.written_bytes + writer.trimmed_bytes > 0);
        self.writers.sort_by(|a, b| {
            (b.written_bytes, b.trimmed_bytes, a.kind, &a.name).cmp(&(
                a.written_bytes,
                a.trimmed_bytes,
                b.kind,
                &b.name,
            ))
        });
        Writers { writers: self.writers, ..self.all }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test may stop where it stands

    use super::*;
    use crate::{info, open};

    const SECOND: u64 = 1_000_000_000;

    fn owner(kind: OwnerKind, name: &str) -> Owner {
        Owner { kind, name: name.to_owned() }
    }

    /// Two pages by a file and one by the journal, a flush, and the file's first page twice again.
    fn recording(folder: &Path, told_bytes: u64) -> std::path::PathBuf {
        let path = folder.join("who.rwt");
        let mut writer = CompactWriter::new(std::fs::File::create(&path).unwrap(), "", 0).unwrap();
        let write = |at_s: u64, page: u64, pages: u64| {
            Request::new(at_s * SECOND, Operation::Write, page * 4096, pages * 4096)
        };
        writer.prepare();
        writer.push(&write(0, 0, 100), Some(&[7; 100])).unwrap();
        writer.flush().unwrap();
        // Refers to a content of the block before.
        writer.push(&write(1, 200, 1), Some(&[7])).unwrap();
        writer.begin().unwrap();
        writer.owner(owner(OwnerKind::File, "/log"));
        writer.owner(owner(OwnerKind::Journal, ""));
        writer.push(&write(0, 4, 3), Some(&[7, 8, 9])).unwrap();
        writer.push(&Request::flush(SECOND), None).unwrap();
        writer.push(&write(29, 4, 1), None).unwrap();
        writer.push(&write(60, 4, 1), None).unwrap();
        writer.push(&Request::new(61 * SECOND, Operation::Trim, 4 * 4096, 8192), None).unwrap();
        let mut left = told_bytes;
        for (owner, bytes) in [(0, 8192), (1, 4096), (0, 8192), (0, 8192)] {
            writer.owned(owner, bytes.min(left)).unwrap();
            left -= bytes.min(left);
        }
        writer.asked(10_000).unwrap();
        assert!(writer.owned(2, 1).is_err(), "an owner without a name");
        writer.finish().unwrap();
        path
    }

    #[test]
    fn bytes_add_up_and_the_preparation_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = recording(folder.path(), u64::MAX);
        let found = who_writes(&path).unwrap().unwrap();
        assert_eq!((found.written_bytes, found.trimmed_bytes, found.flushes), (5 * 4096, 8192, 1));
        assert_eq!((found.preparation_bytes, found.asked_bytes), (413_696, Some(10_000)));
        let [log, journal] = &found.writers[..] else { panic!("{found:?}") };
        assert_eq!((log.kind, &log.name[..]), (Some(OwnerKind::File), "/log"));
        assert_eq!((log.written_bytes, log.trimmed_bytes, log.writes), (4 * 4096, 8192, 3));
        assert_eq!((log.rewrites, log.rewrites_within_30_s, log.flushes), (2, 1, 1));
        assert_eq!((journal.kind, journal.written_bytes), (Some(OwnerKind::Journal), 4096));
        assert_eq!((log.discards, journal.discards), (2, 0));
        // Readers of requests meet neither the preparation nor its contents.
        let mut source = open(&path, &OpenOptions::default()).unwrap();
        assert_eq!(info(&mut *source).unwrap().requests, 5);
    }

    #[test]
    fn bytes_that_are_not_told_have_a_row() {
        let folder = tempfile::tempdir().unwrap();
        let found = who_writes(&recording(folder.path(), 12_288)).unwrap().unwrap();
        let rows: Vec<_> = found.writers.iter().map(|row| (row.kind, row.written_bytes)).collect();
        let (file, journal) = (Some(OwnerKind::File), Some(OwnerKind::Journal));
        assert_eq!(rows, [(None, 8192), (file, 8192), (journal, 4096)]);
        assert_eq!(rows.iter().map(|row| row.1).sum::<u64>(), found.written_bytes);
    }

    #[test]
    fn a_copy_tells_the_same_without_the_preparation() {
        let folder = tempfile::tempdir().unwrap();
        let (path, out) = (recording(folder.path(), u64::MAX), folder.path().join("copy.rwt"));
        let mut writer = CompactWriter::new(std::fs::File::create(&out).unwrap(), "", 0).unwrap();
        writer.copy(&mut *open(&path, &OpenOptions::default()).unwrap()).unwrap();
        copy_owners(&path, &mut writer).unwrap();
        writer.finish().unwrap();
        let (told, copied) = (who_writes(&path).unwrap().unwrap(), who_writes(&out).unwrap().unwrap());
        assert_eq!(copied, Writers { preparation_bytes: 0, ..told });
    }

    #[test]
    fn other_traces_do_not_tell() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other");
        std::fs::write(&path, "0,write,0,4096\n").unwrap();
        assert_eq!(who_writes(&path).unwrap(), None);
        std::fs::write(&path, crate::compact::EXAMPLE).unwrap();
        assert_eq!(who_writes(&path).unwrap(), None);
    }
}
