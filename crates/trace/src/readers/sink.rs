//! Turns the records of any format into requests: time zero, volumes, selection, offset shift.

use std::path::Path;

use hashbrown::HashMap;

use crate::error::{ErrorKind, Fault, Place, TraceError};
use crate::jumps::{Jumps, Timeline};
use crate::operation::Operation;
use crate::options::OpenOptions;
use crate::request::{Batch, Fingerprint, Request};
use crate::source::Omissions;

/// The request of one line or record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    /// On the trace's own clock, in nanoseconds.
    pub(crate) at_ns: u64,
    pub(crate) operation: Operation,
    pub(crate) offset_bytes: u64,
    pub(crate) length_bytes: u64,
    /// The volume's name; empty where the format knows only one.
    pub(crate) volume: &'a [u8],
    /// The digest of the request's content, if it is one page.
    pub(crate) fingerprint: Option<Fingerprint>,
    /// The placement identifier; 0 where there is none.
    pub(crate) stream: u8,
}

impl<'a> Record<'a> {
    pub(crate) fn new(at_ns: u64, operation: Operation, offset_bytes: u64, length_bytes: u64) -> Self {
        Self { at_ns, operation, offset_bytes, length_bytes, volume: b"", fingerprint: None, stream: 0 }
    }

    pub(crate) fn on(self, volume: &'a [u8]) -> Self {
        Self { volume, ..self }
    }
}

/// Where records become requests.
pub(crate) struct Sink {
    shift_bytes: u64,
    chosen_volume: Option<String>,
    origin_ns: Option<u64>,
    previous_ns: u64,
    names: Vec<String>,
    indices: HashMap<Box<[u8]>, u16, foldhash::fast::FixedState>,
    last: (Box<[u8]>, u16),
    pub(crate) omissions: Omissions,
    timeline: Timeline,
    pub(crate) delivered: u64,
}

impl Sink {
    pub(crate) fn new(options: &OpenOptions) -> Self {
        Self {
            shift_bytes: options.shift_bytes,
            chosen_volume: options.volume.clone(),
            origin_ns: None,
            previous_ns: 0,
            names: Vec::new(),
            indices: HashMap::with_hasher(foldhash::fast::FixedState::default()),
            last: (Box::default(), 0),
            omissions: Omissions::default(),
            timeline: Timeline::new(options.cut_gaps_ns),
            delivered: 0,
        }
    }

    /// Forgets what was counted; volumes keep their numbers.
    pub(crate) fn rewind(&mut self) {
        (self.origin_ns, self.previous_ns) = (None, 0);
        self.omissions = Omissions::default();
        self.timeline.rewind();
        self.delivered = 0;
    }

    pub(crate) fn jumps(&self) -> Jumps {
        self.timeline.jumps()
    }

    pub(crate) fn volumes(&self) -> &[String] {
        match &self.names[..] {
            [only] if only.is_empty() => &[],
            names => names,
        }
    }

    /// Appends the record at a place to the batch, unless its volume is not wanted.
    #[inline]
    pub(crate) fn accept(
        &mut self,
        record: Record<'_>,
        place: Place,
        batch: &mut Batch,
    ) -> Result<(), Fault> {
        let volume = if record.volume == &*self.last.0 && !self.names.is_empty() {
            self.last.1
        } else {
            self.volume_index(record.volume)?
        };
        if let Some(chosen) = &self.chosen_volume
            && self.names.get(usize::from(volume)) != Some(chosen)
        {
            self.omissions.other_volumes += 1;
            return Ok(());
        }
        let mut request = Request::new(0, record.operation, 0, 0);
        if record.operation.has_range() {
            request.offset_bytes = record.offset_bytes.wrapping_add(self.shift_bytes);
            request.length_bytes = record.length_bytes;
            if request.length_bytes > request.operation.longest_bytes() {
                return Err(too_long(&request));
            }
            let end = u128::from(record.offset_bytes)
                + u128::from(self.shift_bytes)
                + u128::from(record.length_bytes);
            if end > MAX_END_BYTES {
                return Err(Fault::new(format!("the request ends at byte {end}, beyond 2^63")));
            }
        }
        let at_ns = self.timeline.time(record.at_ns, || place);
        let origin_ns = *self.origin_ns.get_or_insert(at_ns);
        self.omissions.before_first += u64::from(at_ns < origin_ns);
        request.at_ns = at_ns.saturating_sub(origin_ns);
        (request.volume, request.stream) = (volume, record.stream);
        self.omissions.backwards_times += u64::from(request.at_ns < self.previous_ns);
        self.previous_ns = request.at_ns;
        self.delivered += 1;
        match record.fingerprint {
            None => batch.push(request),
            Some(fingerprint) => {
                batch.push_with_content(request, &[fingerprint]);
            }
        }
        Ok(())
    }

    #[cold]
    fn volume_index(&mut self, name: &[u8]) -> Result<u16, Fault> {
        let index = match self.indices.get(name) {
            Some(&index) => index,
            None => {
                let index = u16::try_from(self.names.len())
                    .map_err(|_| Fault::new("the trace has more than 65,536 volumes; select one of them"))?;
                self.names.push(String::from_utf8_lossy(name).replace(',', "_"));
                self.indices.insert(name.into(), index);
                index
            }
        };
        self.last = (name.into(), index);
        Ok(index)
    }

    /// At the end of the trace: an error when there was nothing to deliver.
    pub(crate) fn finish(&self, path: &Path) -> Result<(), TraceError> {
        if self.delivered > 0 {
            return Ok(());
        }
        let (problem, remedy) = match &self.chosen_volume {
            Some(chosen) if self.omissions.other_volumes > 0 => {
                let mut known = self.names.iter().take(20).map(String::as_str).collect::<Vec<_>>().join(", ");
                if self.names.len() > 20 {
                    known += ", ...";
                }
                (format!("no request is of volume \"{chosen}\""), format!("choose one of: {known}"))
            }
            _ => ("holds no request".to_owned(), "check the format and the chosen event".to_owned()),
        };
        Err(TraceError::new(ErrorKind::Empty, problem, remedy).in_file(path))
    }
}

/// That no host sends such a request.
#[cold]
pub(crate) fn too_long(request: &Request) -> Fault {
    let (name, length, longest) =
        (request.operation.name(), request.length_bytes, request.operation.longest_bytes());
    Fault::new(format!("a {name} of {length} bytes: no host asks for more than {longest} in one request"))
}

/// Signed 64-bit file offsets end here; so do the addresses of requests.
const MAX_END_BYTES: u128 = 1 << 63;
