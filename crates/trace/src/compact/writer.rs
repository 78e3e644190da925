//! Writes the compact format.

use std::io::{self, Write};

use super::owners::{Owner, OwnerBlock};
use super::values::Numbers;
use super::{BLOCK_FINGERPRINTS, BLOCK_REQUESTS, MAGIC, TEXT_LIMIT_BYTES, VERSION, block_kind, columns};
use crate::error::TraceError;
use crate::request::{Batch, FINGERPRINT_PAGE_BYTES, Fingerprint, Request};
use crate::source::Source;

/// Strength of zstd: beyond it files shrink by a percent and writing slows several times.
const ZSTD_LEVEL: i32 = 15;

/// Runs of owners in a block, unless the trace ends: what a writer that is killed loses of them.
const BLOCK_RUNS: usize = 4096;

/// How much of the pages' content the file keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContentColumn {
    /// The digest of every distinct content, once: equality can be told across traces. 16 bytes for
    /// each.
    #[default]
    Digests,
    /// Only which pages are equal: contents are numbered in the order of their appearance, and a
    /// reader makes up a fingerprint from the number. Next to nothing for new content, and nobody
    /// can tell from the file whether a known file was on the device.
    Numbers,
    /// Nothing.
    Nothing,
}

/// Writes a trace in the compact format.
///
/// Memory: a block, and about 50 bytes for each distinct content.
///
/// The trace is whole only after [`CompactWriter::finish`]; a writer that is dropped leaves a file
/// that readers report as truncated.
pub struct CompactWriter<W: Write> {
    out: W,
    requests: Vec<(Request, bool)>,
    fingerprints: Vec<Fingerprint>,
    numbers: Numbers,
    content: ContentColumn,
    volumes: usize,
    written: u64,
    data: Vec<u8>,
    /// Kind of the blocks of requests at present.
    kind: u8,
    /// Owners that are named already.
    owners: u32,
    /// What is known of owners and not written yet.
    told: OwnerBlock,
}

impl<W: Write> CompactWriter<W> {
    /// Writes the header. `description` says in free text what was recorded and how (at most 65,536
    /// bytes); `origin_unix_ns` is the time of day of time 0 in nanoseconds since 1970, or 0 where
    /// it is not known.
    ///
    /// # Errors
    /// A description that is too long, and those of `out`.
    pub fn new(mut out: W, description: &str, origin_unix_ns: u64) -> io::Result<Self> {
        let mut header = MAGIC.to_vec();
        header.extend_from_slice(&VERSION.to_le_bytes());
        header.extend_from_slice(&(FINGERPRINT_PAGE_BYTES as u32).to_le_bytes());
        header.extend_from_slice(&origin_unix_ns.to_le_bytes());
        header.extend_from_slice(&text_length(description)?.to_le_bytes());
        header.extend_from_slice(description.as_bytes());
        header.extend_from_slice(&crc32fast::hash(&header).to_le_bytes());
        out.write_all(&header)?;
        Ok(Self {
            out,
            requests: Vec::new(),
            fingerprints: Vec::new(),
            numbers: Numbers::default(),
            content: ContentColumn::default(),
            volumes: 0,
            written: 0,
            data: Vec::new(),
            kind: block_kind::REQUESTS,
            owners: 0,
            told: OwnerBlock::default(),
        })
    }

    /// Chooses what is kept of the content; to be called before the first request.
    #[must_use]
    pub fn with_content(self, content: ContentColumn) -> Self {
        Self { content, ..self }
    }

    /// Names the next volume: the first call names volume 0, and so on. A trace of a single volume
    /// needs no name.
    ///
    /// # Errors
    /// A name that is too long, and those of the output.
    pub fn volume(&mut self, name: &str) -> io::Result<()> {
        text_length(name)?;
        self.flush_block()?;
        self.block(block_kind::VOLUME, self.volumes as u64, name.as_bytes())?;
        self.volumes += 1;
        Ok(())
    }

    /// Marks the requests that follow, until [`CompactWriter::begin`], as what prepared the
    /// recording: readers leave them out. To be called before the first request.
    pub fn prepare(&mut self) {
        self.kind = block_kind::PREPARATION;
    }

    /// Ends what was marked by [`CompactWriter::prepare`].
    ///
    /// # Errors
    /// Those of the output.
    pub fn begin(&mut self) -> io::Result<()> {
        self.flush_block()?;
        // A reader that leaves out the preparation has not met its contents.
        (self.kind, self.numbers) = (block_kind::REQUESTS, Numbers::default());
        Ok(())
    }

    /// Names the next owner: the first call names owner 0, and so on.
    pub fn owner(&mut self, owner: Owner) {
        self.told.new.push(owner);
        self.owners += 1;
    }

    /// The owner of the next bytes that are written or trimmed, of all requests in their order
    /// without the preparation; the requests themselves may come later.
    ///
    /// # Errors
    /// An owner without a name, and those of the output.
    pub fn owned(&mut self, owner: u32, bytes: u64) -> io::Result<()> {
        if owner >= self.owners {
            return Err(invalid(format!("owner {owner} has no name; name it first")));
        }
        self.told.push(owner, bytes);
        if self.told.runs.len() > BLOCK_RUNS { self.write_owners() } else { Ok(()) }
    }

    /// Notes how many bytes the recorded programs asked to write.
    ///
    /// # Errors
    /// Those of the output.
    pub fn asked(&mut self, bytes: u64) -> io::Result<()> {
        self.block(block_kind::ASKED, bytes, &[])
    }

    fn write_owners(&mut self) -> io::Result<()> {
        if self.told.runs.is_empty() {
            return Ok(());
        }
        let told = std::mem::take(&mut self.told);
        let mut data = Vec::new();
        told.encode(&mut data);
        self.block(block_kind::OWNERS, told.runs.len() as u64, &zstd::bulk::compress(&data, ZSTD_LEVEL)?)
    }

    /// Appends a request and, where it is known, the content of its pages.
    ///
    /// # Errors
    /// Content that is not one fingerprint for each page ([`Request::fingerprint_count`]), and
    /// those of the output.
    pub fn push(&mut self, request: &Request, content: Option<&[Fingerprint]>) -> io::Result<()> {
        let mut request = *request;
        if !request.operation.has_range() {
            (request.offset_bytes, request.length_bytes) = (0, 0);
        }
        let content = content.filter(|content| !content.is_empty() && self.content != ContentColumn::Nothing);
        if let Some(content) = content {
            if content.len() != request.fingerprint_count() {
                let (have, need) = (content.len(), request.fingerprint_count());
                return Err(invalid(format!(
                    "a request of {need} pages came with {have} fingerprints; give one for each page"
                )));
            }
            self.fingerprints.extend_from_slice(content);
        }
        self.requests.push((request, content.is_some()));
        if self.requests.len() >= BLOCK_REQUESTS || self.fingerprints.len() >= BLOCK_FINGERPRINTS {
            self.flush_block()?;
        }
        Ok(())
    }

    /// Appends all that remains of `source`, with its volumes; returns the number of requests.
    ///
    /// # Errors
    /// Those of the source, and those of the output, as an error of the source's file.
    pub fn copy(&mut self, source: &mut dyn Source) -> Result<u64, TraceError> {
        let mut batch = Batch::default();
        let mut copied = 0;
        let failed = |error: io::Error| {
            let remedy = "check the space and the permissions of the output";
            TraceError::new(
                crate::ErrorKind::Io,
                format!("the compact trace cannot be written ({error})"),
                remedy,
            )
        };
        while source.fill(&mut batch)? > 0 {
            while self.volumes < source.volumes().len() {
                self.volume(&source.volumes()[self.volumes]).map_err(failed)?;
            }
            for request in &batch.requests {
                self.push(request, batch.content_of(request)).map_err(failed)?;
            }
            copied += batch.requests.len() as u64;
        }
        Ok(copied)
    }

    /// Writes what is pending as a block of its own, so that [`crate::salvage`] finds it whatever
    /// becomes of the writer. A trace with many small blocks is larger.
    ///
    /// # Errors
    /// Those of the output.
    pub fn flush(&mut self) -> io::Result<()> {
        self.flush_block()?;
        self.out.flush()
    }

    /// Writes what is pending and the end mark; gives the output back, flushed.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush_block()?;
        self.write_owners()?;
        self.block(block_kind::END, self.written, &[])?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn flush_block(&mut self) -> io::Result<()> {
        if self.requests.is_empty() {
            return Ok(());
        }
        let mut data = std::mem::take(&mut self.data);
        data.clear();
        let content = (&self.fingerprints[..], &mut self.numbers, self.content);
        columns::encode(&self.requests, content, &mut data);
        let count = self.requests.len() as u64;
        if self.kind == block_kind::REQUESTS {
            self.block(block_kind::REQUESTS, count, &data)?;
            self.written += count;
        } else {
            // A reader that does not know the kind passes over data as they are.
            self.block(self.kind, count, &zstd::bulk::compress(&data, ZSTD_LEVEL)?)?;
        }
        self.data = data;
        self.requests.clear();
        self.fingerprints.clear();
        Ok(())
    }

    fn block(&mut self, kind: u8, count: u64, data: &[u8]) -> io::Result<()> {
        let stored = if kind == block_kind::REQUESTS {
            zstd::bulk::compress(data, ZSTD_LEVEL)?
        } else {
            data.to_vec()
        };
        let length = |bytes: usize| {
            u32::try_from(bytes)
                .map_err(|_| invalid("a single request has more than 4 GiB of fingerprints; split it".into()))
        };
        let mut header = vec![kind];
        header.extend_from_slice(&count.to_le_bytes());
        header.extend_from_slice(&length(data.len())?.to_le_bytes());
        header.extend_from_slice(&length(stored.len())?.to_le_bytes());
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&header);
        checksum.update(&stored);
        header.extend_from_slice(&checksum.finalize().to_le_bytes());
        self.out.write_all(&header)?;
        self.out.write_all(&stored)
    }
}

fn text_length(text: &str) -> io::Result<u32> {
    if text.len() > TEXT_LIMIT_BYTES {
        return Err(invalid(format!("the text has {} bytes; {TEXT_LIMIT_BYTES} are possible", text.len())));
    }
    Ok(text.len() as u32)
}

fn invalid(problem: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, problem)
}
