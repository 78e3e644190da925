//! Requests into a compact trace, with their times.
//!
//! The trace is compressed on a thread of its own: half a second for a block of 65,536 requests
//! would otherwise stand in the times of the requests that wait for it.

use std::io::{self, BufWriter, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rewear_trace::{CompactWriter, ContentColumn, Fingerprint, Operation, Owner, Request};

use crate::error::RecordError;
use crate::fingerprint;

/// Counts of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Requests of all kinds.
    pub requests: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Writes with a placement identifier.
    pub placed: u64,
    /// From the first request to the last.
    pub duration_ns: u64,
}

/// How often what was recorded goes to the file: a recorder that is killed loses what came since.
const FLUSHED_EACH: Duration = Duration::from_secs(1);

enum Entry {
    Request(Request, Option<Vec<Fingerprint>>),
    /// What follows, until the recording begins, prepares it.
    Prepare,
    Begin,
    Owner(Owner),
    Owned(u32, u64),
    Asked(u64),
}

/// Takes requests in the order of their arrival. Reads are recorded without content: a page that
/// was written has the content of its last write.
#[derive(Debug)]
pub struct Recorder {
    entries: Sender<Entry>,
    writer: JoinHandle<io::Result<()>>,
    /// The time of the first request, which is time 0.
    start: Option<Instant>,
    summary: Summary,
    content: ContentColumn,
}

impl Recorder {
    /// Writes to `out`. The description says what is recorded; how the fingerprints are made is
    /// added.
    ///
    /// # Errors
    /// Those of `out`, and a description of more than 65,000 bytes.
    pub fn new<W: Write + Send + 'static>(
        out: W,
        description: &str,
        content: ContentColumn,
    ) -> Result<Self, RecordError> {
        let about = match content {
            ContentColumn::Digests => format!("; fingerprints: {}", fingerprint::HASH),
            ContentColumn::Numbers => "; contents numbered".to_owned(),
            ContentColumn::Nothing => String::new(),
        };
        let origin = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
        let text = format!("{description}{about}");
        let trace = CompactWriter::new(BufWriter::new(out), &text, origin)?.with_content(content);
        let (entries, received) = channel();
        let writer = std::thread::Builder::new()
            .name("rewear-record".to_owned())
            .spawn(move || write_entries(trace, &received))?;
        Ok(Self { entries, writer, start: None, summary: Summary::default(), content })
    }

    /// Marks all requests until [`Recorder::begin`] as what prepares the recording; to be called
    /// before the first.
    pub fn prepare(&mut self) {
        let _ = self.entries.send(Entry::Prepare);
    }

    /// Records from now on; the next request is the first, at time 0.
    pub fn begin(&mut self) {
        (self.start, self.summary) = (None, Summary::default());
        let _ = self.entries.send(Entry::Begin);
    }

    /// Names the next owner of bytes: the first call names owner 0.
    pub fn owner(&mut self, owner: Owner) {
        let _ = self.entries.send(Entry::Owner(owner));
    }

    /// The owner of the next bytes that were written or trimmed.
    pub fn owned(&mut self, owner: u32, bytes: u64) {
        let _ = self.entries.send(Entry::Owned(owner, bytes));
    }

    /// Notes how many bytes the recorded programs asked to write.
    pub fn asked(&mut self, bytes: u64) {
        let _ = self.entries.send(Entry::Asked(bytes));
    }

    /// A read that arrives now.
    pub fn read(&mut self, offset_bytes: u64, length_bytes: u64) {
        self.summary.read_bytes += length_bytes;
        self.push(Request::new(self.now_ns(), Operation::Read, offset_bytes, length_bytes), None);
    }

    /// A write that arrives now.
    pub fn write(&mut self, offset_bytes: u64, data: &[u8]) {
        let at_ns = self.now_ns();
        let content = self.keeps_content().then(|| fingerprint::fingerprints(offset_bytes, data));
        self.push_write(at_ns, (offset_bytes, data.len() as u64), content);
    }

    /// A write of zeros that arrives now.
    pub fn write_zeros(&mut self, offset_bytes: u64, length_bytes: u64) {
        let at_ns = self.now_ns();
        let content = self.keeps_content().then(|| fingerprint::zeros(offset_bytes, length_bytes));
        self.push_write(at_ns, (offset_bytes, length_bytes), content);
    }

    /// A trim that arrives now.
    pub fn trim(&mut self, offset_bytes: u64, length_bytes: u64) {
        self.push(Request::new(self.now_ns(), Operation::Trim, offset_bytes, length_bytes), None);
    }

    /// A flush that arrives now.
    pub fn flush(&mut self) {
        self.push(Request::flush(self.now_ns()), None);
    }

    /// A request at a time of the caller's own clock, which must not run backwards; `data` is what
    /// a write carries. A caller that dates one request dates all of them.
    pub fn dated(&mut self, request: Request, data: Option<&[u8]>) {
        let content = data
            .filter(|_| self.keeps_content())
            .map(|data| fingerprint::fingerprints(request.offset_bytes, data));
        match request.operation {
            Operation::Read => self.summary.read_bytes += request.length_bytes,
            Operation::Write | Operation::Overwrite => {
                self.summary.written_bytes += request.length_bytes;
                self.summary.placed += u64::from(request.stream != 0);
            }
            Operation::Trim | Operation::Flush | Operation::UpdateHandle => {}
        }
        self.push(request, content);
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// The writer's first error since the beginning.
    pub fn finish(self) -> Result<Summary, RecordError> {
        drop(self.entries);
        self.writer.join().map_err(|_| RecordError::Writer)??;
        Ok(self.summary)
    }

    /// Counts so far.
    pub fn summary(&self) -> Summary {
        self.summary
    }

    fn keeps_content(&self) -> bool {
        self.content != ContentColumn::Nothing
    }

    fn push_write(
        &mut self,
        at_ns: u64,
        (offset_bytes, length_bytes): (u64, u64),
        content: Option<Vec<Fingerprint>>,
    ) {
        self.summary.written_bytes += length_bytes;
        self.push(Request::new(at_ns, Operation::Write, offset_bytes, length_bytes), content);
    }

    fn push(&mut self, request: Request, content: Option<Vec<Fingerprint>>) {
        self.start.get_or_insert_with(Instant::now);
        self.summary.requests += 1;
        self.summary.duration_ns = request.at_ns;
        // A writer that has failed says why in `finish`; the device goes on.
        let _ = self.entries.send(Entry::Request(request, content));
    }

    fn now_ns(&self) -> u64 {
        self.start.map_or(0, |start| start.elapsed().as_nanos() as u64)
    }
}

fn write_entries<W: Write>(mut trace: CompactWriter<W>, entries: &Receiver<Entry>) -> io::Result<()> {
    let mut flushed = Instant::now();
    loop {
        match entries.recv_timeout(FLUSHED_EACH) {
            Ok(Entry::Request(request, content)) => trace.push(&request, content.as_deref())?,
            Ok(Entry::Prepare) => trace.prepare(),
            Ok(Entry::Begin) => trace.begin()?,
            Ok(Entry::Owner(owner)) => trace.owner(owner),
            Ok(Entry::Owned(owner, bytes)) => trace.owned(owner, bytes)?,
            Ok(Entry::Asked(bytes)) => trace.asked(bytes)?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return trace.finish().map(drop),
        }
        if flushed.elapsed() >= FLUSHED_EACH {
            trace.flush()?;
            flushed = Instant::now();
        }
    }
}
