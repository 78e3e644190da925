//! Opens a file, takes off its compression, and hands the bytes out through one large buffer.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{ErrorKind, TraceError};

/// Bytes read at once.
const BUFFER_BYTES: usize = 256 << 10;

/// Decompressed bytes that formats are recognised by.
pub(crate) const HEAD_BYTES: usize = 64 << 10;

/// Decompressed bytes behind a malformed line that are read to see whether the compressed data are
/// damaged: seconds.
const CHECKED_BYTES: usize = 2 << 30;

/// Memory that an lzma file may ask for: its largest preset takes 65 MiB.
const MOST_DICTIONARY_BYTES: u64 = 1 << 30;

/// The compressions that are recognised, by the first bytes of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compression {
    None,
    Gzip,
    Xz,
    Lzma,
    Zstd,
    Bzip2,
}

impl Compression {
    fn name(self) -> &'static str {
        match self {
            Self::None => "plain",
            Self::Gzip => "gzip",
            Self::Xz => "xz",
            Self::Lzma => "lzma",
            Self::Zstd => "zstd",
            Self::Bzip2 => "bzip2",
        }
    }

    fn of(magic: &[u8]) -> Self {
        match magic {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            // A frame to be skipped, which some programs put in front.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            // The usual properties, and a dictionary of a size that its encoders choose.
            [0x5d, 0, 0, low, high, ..] if low | high != 0 => Self::Lzma,
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, ..] => Self::Bzip2,
            // An empty bzip2 file has no block, only the end mark.
            [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, ..] => Self::Bzip2,
            _ => Self::None,
        }
    }
}

/// Counts the bytes taken from the file, for progress.
struct Counted {
    file: File,
    taken: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(into)?;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// A file's decompressed bytes, buffered, with a look ahead.
pub(crate) struct Input {
    path: PathBuf,
    compression: Compression,
    stream: Box<dyn Read + Send>,
    taken: Arc<AtomicU64>,
    file_bytes: u64,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    ended: bool,
    /// Quotation marks are left out: a table whose first column is quoted.
    is_quoted: bool,
}

impl Input {
    /// Opens `path` and recognises its compression.
    pub(crate) fn open(path: &Path) -> Result<Self, TraceError> {
        let (compression, stream, taken, file_bytes) =
            open_stream(path).map_err(|error| error.in_file(path))?;
        let (path, buffer) = (path.to_owned(), vec![0; BUFFER_BYTES]);
        Ok(Self {
            path,
            compression,
            stream,
            taken,
            file_bytes,
            buffer,
            start: 0,
            end: 0,
            ended: false,
            is_quoted: false,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// (bytes taken from the file, its size).
    pub(crate) fn progress(&self) -> (u64, u64) {
        (self.taken.load(Ordering::Relaxed), self.file_bytes)
    }

    /// Leaves quotation marks out, from what is buffered on and after every rewind. Names and numbers of
    /// traces need none.
    pub(crate) fn unquote(&mut self) {
        self.is_quoted = true;
        self.end = self.start + leave_quotes_out(&mut self.buffer[self.start..self.end]);
    }

    /// Opens the file again, from its beginning.
    pub(crate) fn rewind(&mut self) -> Result<(), TraceError> {
        let opened = open_stream(&self.path).map_err(|error| error.in_file(&self.path))?;
        (self.compression, self.stream, self.taken, self.file_bytes) = opened;
        (self.start, self.end, self.ended) = (0, 0, false);
        // The bytes that a decompressor gives before damage depend on how much it is asked for.
        self.buffer.truncate(BUFFER_BYTES);
        Ok(())
    }

    /// The bytes that are buffered and not consumed.
    #[inline]
    pub(crate) fn available(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Marks the first `count` available bytes as used.
    #[inline]
    pub(crate) fn consume(&mut self, count: usize) {
        self.start += count.min(self.end - self.start);
    }

    /// True when the file holds nothing beyond what is available.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Reads until at least `count` bytes are available or the file ends; grows the buffer if need
    /// be.
    pub(crate) fn look_ahead(&mut self, count: usize) -> Result<(), TraceError> {
        while self.end - self.start < count && !self.ended {
            self.read_more()?;
        }
        Ok(())
    }

    /// Reads once more behind what is available.
    pub(crate) fn read_more(&mut self) -> Result<(), TraceError> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        loop {
            match self.stream.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(count) if self.is_quoted => {
                    let kept = leave_quotes_out(&mut self.buffer[self.end..self.end + count]);
                    self.end += kept;
                    if kept == 0 {
                        continue;
                    }
                }
                Ok(count) => self.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.failure(error).in_file(&self.path)),
            }
            return Ok(());
        }
    }

    /// The true cause where the content is: `error`, or else the compressed data, whose
    /// checksums often come behind what was damaged. Reads up to [`CHECKED_BYTES`] of the rest to
    /// find out.
    pub(crate) fn blamed(&mut self, error: TraceError) -> TraceError {
        let may_be_damaged =
            matches!(error.kind, ErrorKind::Malformed | ErrorKind::Unrecognised | ErrorKind::Truncated);
        if self.compression == Compression::None || !may_be_damaged || error.cause.is_some() {
            return error;
        }
        let mut left = CHECKED_BYTES;
        while !self.ended && left > 0 {
            self.start = self.end;
            if let Err(damage) = self.read_more() {
                return if damage.kind == ErrorKind::Io { error } else { damage };
            }
            left = left.saturating_sub(self.available().len());
        }
        error
    }

    fn failure(&self, error: io::Error) -> TraceError {
        match self.compression {
            Compression::None => TraceError::from_read(error),
            compression => TraceError::from_decompressor(error, compression.name()),
        }
    }
}

/// Moves what are no quotation marks to the front; their number.
fn leave_quotes_out(bytes: &mut [u8]) -> usize {
    let mut kept = 0;
    for at in 0..bytes.len() {
        bytes[kept] = bytes[at];
        kept += usize::from(bytes[at] != b'"');
    }
    kept
}

type Opened = (Compression, Box<dyn Read + Send>, Arc<AtomicU64>, u64);

fn open_stream(path: &Path) -> Result<Opened, TraceError> {
    let refused = |problem: String, remedy: &str| TraceError::new(ErrorKind::Io, problem, remedy);
    let system = |error: io::Error| {
        let problem = match error.kind() {
            io::ErrorKind::NotFound => "no such file".to_owned(),
            _ => format!("cannot be opened ({error})"),
        };
        TraceError { cause: Some(error), ..refused(problem, "check the path and its permissions") }
    };
    let metadata = std::fs::metadata(path).map_err(system)?;
    if metadata.is_dir() {
        return Err(refused("is a directory".into(), "name a trace file inside it"));
    }
    if !metadata.is_file() {
        return Err(refused(
            "is not a regular file".into(),
            "write the stream into a file first: a trace is read more than once",
        ));
    }
    let mut file = File::open(path).map_err(system)?;
    let mut magic = Vec::with_capacity(8);
    (&mut file).take(8).read_to_end(&mut magic).map_err(TraceError::from_read)?;
    if magic.is_empty() {
        return Err(TraceError::new(
            ErrorKind::Empty,
            "the file is empty",
            "name a trace with at least one request",
        ));
    }
    file.rewind().map_err(TraceError::from_read)?;
    let taken = Arc::new(AtomicU64::new(0));
    let counted = Counted { file, taken: Arc::clone(&taken) };
    let compression = Compression::of(&magic);
    let stream: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(counted),
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(counted)),
        Compression::Xz => Box::new(liblzma::read::XzDecoder::new_multi_decoder(counted)),
        Compression::Lzma => {
            let stream = liblzma::stream::Stream::new_lzma_decoder(MOST_DICTIONARY_BYTES);
            let stream = stream.map_err(|error| TraceError::from_read(error.into()))?;
            Box::new(liblzma::read::XzDecoder::new_stream(counted, stream))
        }
        Compression::Zstd => {
            Box::new(zstd::stream::read::Decoder::new(counted).map_err(TraceError::from_read)?)
        }
        Compression::Bzip2 => Box::new(bzip2::read::MultiBzDecoder::new(counted)),
    };
    Ok((compression, stream, taken, metadata.len()))
}
