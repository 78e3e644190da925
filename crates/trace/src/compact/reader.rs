//! Reads the compact format.

use std::io::Read;

use super::columns::Decoder;
use super::owners::{Owner, OwnerBlock, Run};
use super::{BLOCK_HEADER_BYTES, BLOCK_LIMIT_BYTES, HEADER_BYTES, TEXT_LIMIT_BYTES, VERSION, block_kind};
use crate::decompress::Input;
use crate::error::{ErrorKind, Place, TraceError};
use crate::jumps::{Jumps, Timeline};
use crate::options::OpenOptions;
use crate::readers::too_long;
use crate::request::{Batch, FINGERPRINT_PAGE_BYTES};
use crate::source::{Description, GoOn, Kind, Omissions, Source};

/// A stream of the requests of a compact trace.
pub(crate) struct CompactSource {
    input: Input,
    options: OpenOptions,
    text: String,
    origin_unix_ns: u64,
    decoder: Decoder,
    stored: Vec<u8>,
    unpacker: zstd::bulk::Decompressor<'static>,
    volumes: Vec<String>,
    omissions: Omissions,
    timeline: Timeline,
    /// Requests in the blocks so far, to compare with the end mark.
    promised: u64,
    delivered: u64,
    previous_ns: u64,
    largest_volume: u16,
    block: u64,
    failure: Option<TraceError>,
    done: bool,
    /// Kept where somebody wants to know who wrote.
    told: Option<Told>,
}

/// What a recording says about who wrote.
#[derive(Default)]
pub(crate) struct Told {
    /// Files and parts of the file system.
    pub(crate) owners: Vec<Owner>,
    /// Bytes written and trimmed, by owner, in the order of the requests.
    pub(crate) runs: Vec<Run>,
    /// Bytes written before the recording proper.
    pub(crate) preparation_bytes: u64,
    /// Bytes that the recorded programs asked to write.
    pub(crate) asked_bytes: Option<u64>,
    /// Of the blocks of the preparation, whose contents are numbered through.
    decoder: Decoder,
}

impl Told {
    /// Whether a block of a kind that readers of requests pass over could be read.
    fn take(&mut self, kind: u8, count: u64, data: &[u8]) -> Option<()> {
        match kind {
            block_kind::OWNERS => {
                let block = OwnerBlock::decode(&unpacked(data)?, count)?;
                self.owners.extend(block.new);
                let known = |&(owner, _): &Run| (owner as usize) < self.owners.len();
                block.runs.iter().all(known).then_some(())?;
                self.runs.extend(block.runs);
            }
            block_kind::PREPARATION => {
                *self.decoder.buffer() = unpacked(data)?;
                self.decoder.start(usize::try_from(count).ok()?)?;
                let mut batch = Batch::default();
                while self.decoder.left() > 0 {
                    self.decoder.fill(0, &mut batch, |_| true)?;
                    let writes = batch.requests.iter().filter(|request| request.operation.is_write());
                    self.preparation_bytes += writes.map(|request| request.length_bytes).sum::<u64>();
                    batch.clear();
                }
            }
            block_kind::ASKED => self.asked_bytes = Some(count),
            _ => {}
        }
        Some(())
    }
}

/// The data of a block that has its own frame.
fn unpacked(frame: &[u8]) -> Option<Vec<u8>> {
    let mut data = Vec::new();
    zstd::Decoder::new(frame).ok()?.take(BLOCK_LIMIT_BYTES as u64).read_to_end(&mut data).ok()?;
    Some(data)
}

/// The fixed part of a block's header.
struct BlockHeader {
    kind: u8,
    count: u64,
    data_bytes: usize,
    stored_bytes: usize,
    checksum: u32,
}

impl CompactSource {
    pub(crate) fn new(input: Input, options: &OpenOptions) -> Result<Self, TraceError> {
        let unpacker = zstd::bulk::Decompressor::new().map_err(TraceError::from_read)?;
        let mut source = Self {
            input,
            options: options.clone(),
            text: String::new(),
            origin_unix_ns: 0,
            decoder: Decoder::default(),
            stored: Vec::new(),
            unpacker,
            volumes: Vec::new(),
            omissions: Omissions::default(),
            timeline: Timeline::new(options.cut_gaps_ns),
            promised: 0,
            delivered: 0,
            previous_ns: 0,
            largest_volume: 0,
            block: 0,
            failure: None,
            done: false,
            told: None,
        };
        source.read_header()?;
        Ok(source)
    }

    /// What the recording says about who wrote; reads it to its end, and rewinds it.
    ///
    /// # Errors
    /// Those of reading its requests.
    pub(crate) fn told(&mut self) -> Result<Told, TraceError> {
        let mut decoder = Decoder::default();
        decoder.begin_file(VERSION);
        self.told = Some(Told { decoder, ..Told::default() });
        let mut batch = Batch::default();
        while self.fill(&mut batch)? > 0 {}
        let told = self.told.take().unwrap_or_default();
        self.rewind()?;
        Ok(told)
    }

    fn read_header(&mut self) -> Result<(), TraceError> {
        let fixed = self.bytes::<HEADER_BYTES>()?;
        if !super::is_compact(&fixed) {
            return Err(malformed(
                "does not begin like a compact trace",
                "name the file's real format, or none",
            ));
        }
        let version = u16::from_le_bytes([fixed[8], fixed[9]]);
        if !(1..=VERSION).contains(&version) {
            let problem = format!("is written in version {version} of the compact format");
            return Err(malformed(
                problem,
                &format!("this reader knows versions 1 to {VERSION}; write it again with the present tools"),
            ));
        }
        self.decoder.begin_file(version);
        let page_bytes = u64::from(u32_at(&fixed, 10));
        let text_bytes = u32_at(&fixed, 22) as usize;
        if text_bytes > TEXT_LIMIT_BYTES {
            return Err(damaged("the header is damaged (length of the description)"));
        }
        let mut text = vec![0; text_bytes];
        self.exactly(&mut text)?;
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&fixed);
        checksum.update(&text);
        if u32::from_le_bytes(self.bytes::<4>()?) != checksum.finalize() {
            return Err(damaged("the header is damaged (checksum)"));
        }
        if page_bytes != FINGERPRINT_PAGE_BYTES {
            let problem = format!("has fingerprints of pages of {page_bytes} bytes");
            return Err(malformed(
                problem,
                &format!("record it with pages of {FINGERPRINT_PAGE_BYTES} bytes"),
            ));
        }
        self.origin_unix_ns = u64::from(u32_at(&fixed, 14)) | u64::from(u32_at(&fixed, 18)) << 32;
        self.text = String::from_utf8(text).map_err(|_| damaged("the description is not UTF-8"))?;
        Ok(())
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], TraceError> {
        let mut bytes = [0; N];
        self.exactly(&mut bytes)?;
        Ok(bytes)
    }

    fn exactly(&mut self, into: &mut [u8]) -> Result<(), TraceError> {
        self.input.look_ahead(into.len())?;
        let available = self.input.available();
        let Some(found) = available.get(..into.len()) else {
            let problem =
                format!("the compact trace ends after {} requests, without its end mark", self.promised);
            return Err(TraceError::new(
                ErrorKind::Truncated,
                problem,
                "copy it again, or record again and let the recorder finish",
            ));
        };
        into.copy_from_slice(found);
        self.input.consume(into.len());
        Ok(())
    }

    /// Reads blocks until one has requests; false at the end of the trace.
    fn next_block(&mut self) -> Result<bool, TraceError> {
        loop {
            self.block += 1;
            let fixed = self.bytes::<BLOCK_HEADER_BYTES>()?;
            let header = BlockHeader {
                kind: fixed[0],
                count: u64::from(u32_at(&fixed, 1)) | u64::from(u32_at(&fixed, 5)) << 32,
                data_bytes: u32_at(&fixed, 9) as usize,
                stored_bytes: u32_at(&fixed, 13) as usize,
                checksum: u32_at(&fixed, 17),
            };
            if header.data_bytes > BLOCK_LIMIT_BYTES || header.stored_bytes > BLOCK_LIMIT_BYTES {
                return Err(damaged("the block is damaged (length)"));
            }
            let mut stored = std::mem::take(&mut self.stored);
            stored.resize(header.stored_bytes, 0);
            self.exactly(&mut stored)?;
            let outcome = self.use_block(&header, &stored, &fixed[..17]);
            self.stored = stored;
            if let Some(more) = outcome? {
                return Ok(more);
            }
        }
    }

    /// `None`: go on with the next block.
    fn use_block(
        &mut self,
        header: &BlockHeader,
        stored: &[u8],
        fixed: &[u8],
    ) -> Result<Option<bool>, TraceError> {
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(fixed);
        checksum.update(stored);
        if checksum.finalize() != header.checksum {
            return Err(damaged("the block is damaged (checksum)"));
        }
        let data = self.decoder.buffer();
        data.clear();
        if header.kind == block_kind::REQUESTS {
            data.reserve(header.data_bytes);
            let unpacked = self.unpacker.decompress_to_buffer(stored, data);
            unpacked.map_err(|error| damaged(&format!("the block is damaged ({error})")))?;
        } else {
            data.extend_from_slice(stored);
        }
        if data.len() != header.data_bytes {
            return Err(damaged("the block is damaged (length)"));
        }
        match header.kind {
            block_kind::REQUESTS => {
                let count = usize::try_from(header.count).ok().filter(|&count| count > 0);
                count.and_then(|count| self.decoder.start(count)).ok_or_else(|| damaged(COLUMNS))?;
                self.promised += header.count;
                Ok(Some(true))
            }
            block_kind::VOLUME => {
                let name =
                    String::from_utf8(data.clone()).map_err(|_| damaged("a volume's name is not UTF-8"))?;
                let late = self.volumes.is_empty() && self.largest_volume > 0;
                if late
                    || header.count != self.volumes.len() as u64
                    || self.volumes.len() > usize::from(u16::MAX)
                {
                    return Err(damaged("the volumes are not in order"));
                }
                self.volumes.push(name);
                Ok(None)
            }
            block_kind::END if header.count == self.promised => {
                // Reading on lets a decompressor check its own end, too.
                self.input.look_ahead(1)?;
                let rest_is_empty = self.input.available().is_empty();
                if rest_is_empty { Ok(Some(false)) } else { Err(damaged("bytes follow the end mark")) }
            }
            block_kind::END => Err(damaged(&format!(
                "the end mark counts {} requests, the blocks hold {}",
                header.count, self.promised
            ))),
            // Later versions may add kinds of blocks that may be ignored: those up to 127.
            kind @ 3..=127 => {
                let data = std::mem::take(self.decoder.buffer());
                let taken = self.told.as_mut().map(|told| told.take(kind, header.count, &data));
                *self.decoder.buffer() = data;
                if taken == Some(None) {
                    Err(damaged("a block beside the requests is damaged"))
                } else {
                    Ok(None)
                }
            }
            kind => Err(malformed(
                format!("holds a block of the unknown kind {kind}"),
                "read it with a newer version",
            )),
        }
    }

    fn fill_or_fail(&mut self, batch: &mut Batch, go_on: &mut GoOn<'_>) -> Result<(), TraceError> {
        while !batch.is_full() {
            // Once a block: all of its requests may be of other volumes.
            if !go_on(self.progress()) {
                return Err(TraceError::interrupted());
            }
            if self.decoder.left() == 0 && !self.next_block()? {
                self.done = true;
                return self.finish();
            }
            let (volumes, chosen) = (&self.volumes, &self.options.volume);
            let keep = |volume: u16| match chosen {
                Some(chosen) => volumes.get(usize::from(volume)) == Some(chosen),
                None => true,
            };
            let before = batch.requests.len();
            let filled = self.decoder.fill(self.options.shift_bytes, batch, keep);
            // Requests decoded before the columns ended too soon are delivered, so they are checked as
            // well.
            self.take_note(batch, before)?;
            self.omissions.other_volumes += filled.ok_or_else(|| damaged(COLUMNS))?;
        }
        Ok(())
    }

    /// Counts the requests of the batch from `before` on; ends it before one that no host sends.
    fn take_note(&mut self, batch: &mut Batch, before: usize) -> Result<(), TraceError> {
        for index in before..batch.requests.len() {
            let number = self.delivered + 1;
            let request = &mut batch.requests[index];
            request.at_ns = self.timeline.time(request.at_ns, || Place::Request(number));
            let request = *request;
            if request.length_bytes > request.operation.longest_bytes() {
                batch.truncate(index);
                let problem = format!("request {}: {}", self.delivered + 1, too_long(&request).problem);
                return Err(malformed(problem, "check what wrote the trace"));
            }
            // A trace without any names has volumes by number.
            if !self.volumes.is_empty() && usize::from(request.volume) >= self.volumes.len() {
                batch.truncate(index);
                let problem = format!("a request is of volume {}, which has no name", request.volume);
                return Err(damaged(&problem));
            }
            self.largest_volume = self.largest_volume.max(request.volume);
            self.omissions.backwards_times += u64::from(request.at_ns < self.previous_ns);
            self.previous_ns = request.at_ns;
            self.delivered += 1;
        }
        Ok(())
    }

    fn finish(&self) -> Result<(), TraceError> {
        if self.delivered > 0 {
            return Ok(());
        }
        let (problem, remedy) = match &self.options.volume {
            Some(chosen) if self.promised > 0 => (
                format!("no request is of volume \"{chosen}\""),
                format!("choose one of: {}", self.volumes.join(", ")),
            ),
            _ => ("holds no request".to_owned(), "record something".to_owned()),
        };
        Err(TraceError::new(ErrorKind::Empty, problem, remedy))
    }
}

impl Source for CompactSource {
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError> {
        self.fill_watched(batch, &mut |_| true)
    }

    fn fill_watched(&mut self, batch: &mut Batch, go_on: &mut GoOn<'_>) -> Result<usize, TraceError> {
        batch.clear();
        if !self.done
            && let Err(error) = self.fill_or_fail(batch, go_on)
        {
            self.done = true;
            let place = if error.kind == ErrorKind::Empty { Place::Whole } else { Place::Block(self.block) };
            let error = self.input.blamed(error);
            self.failure = Some(error.in_file(self.input.path()).at(place));
        }
        if batch.requests.is_empty()
            && let Some(error) = self.failure.take()
        {
            return Err(error);
        }
        Ok(batch.requests.len())
    }

    fn rewind(&mut self) -> Result<(), TraceError> {
        self.input.rewind()?;
        self.decoder.buffer();
        self.volumes.clear();
        self.omissions = Omissions::default();
        self.timeline.rewind();
        (self.promised, self.delivered, self.previous_ns) = (0, 0, 0);
        self.largest_volume = 0;
        (self.block, self.failure, self.done) = (0, None, false);
        self.read_header().map_err(|error| error.in_file(self.input.path()))
    }

    fn description(&self) -> Description {
        let origin = match self.origin_unix_ns {
            0 => String::new(),
            origin => format!(" (time 0 is {origin} ns after 1970)"),
        };
        Description {
            name: self.input.path().file_name().unwrap_or_default().to_string_lossy().into_owned(),
            format: "compact".to_owned(),
            kind: Kind::Trace,
            timed: true,
            requests: None,
            time_unit: "ns".to_owned(),
            note: self.text.clone() + &origin,
        }
    }

    fn progress(&self) -> Option<(u64, u64)> {
        Some(self.input.progress())
    }

    fn volumes(&self) -> &[String] {
        &self.volumes
    }

    fn omissions(&self) -> Omissions {
        self.omissions
    }

    fn jumps(&self) -> Jumps {
        self.timeline.jumps()
    }
}

const COLUMNS: &str = "the block is damaged (its columns do not fit together)";

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn malformed(problem: impl Into<String>, remedy: &str) -> TraceError {
    TraceError::new(ErrorKind::Malformed, problem, remedy)
}

fn damaged(problem: &str) -> TraceError {
    malformed(problem, "copy the file again, or write it again")
}
