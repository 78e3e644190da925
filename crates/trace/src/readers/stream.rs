//! The source behind every format of one request a line or a binary record.

use crate::decompress::{HEAD_BYTES, Input};
use crate::error::{ErrorKind, Fault, Place, TraceError};
use crate::jumps::Jumps;
use crate::options::OpenOptions;
use crate::readers::sink::{Record, Sink};
use crate::request::Batch;
use crate::source::{Description, GoOn, Kind, Omissions, Source};

/// No line of any format is longer; what is, is not text.
const LINE_LIMIT_BYTES: usize = 1 << 20;

/// Bytes read within a batch after which the caller is asked whether to go on. A line counts for
/// [`LINE_COST_BYTES`] more: short ones cost as much as long ones.
const ASKED_EACH_BYTES: usize = 1 << 20;
const LINE_COST_BYTES: usize = 16;

/// A format of one request a line, or a binary record of a length that its beginning tells.
pub(crate) trait Parser: Send + Sized + 'static {
    /// A few lines or records, as the author of a format writes them: no other format may take them
    /// for its own.
    const EXAMPLES: &'static [&'static [u8]];

    /// True for formats whose first lines say how to read the others, so that the parser gets
    /// headings and comments, too.
    const READS_HEADINGS: bool = false;

    /// True for formats that have no times.
    fn is_untimed(&self) -> bool {
        false
    }

    /// False for binary records.
    const TEXT: bool = true;

    /// True for formats that log several events for each request, so that one can be chosen.
    const HAS_EVENTS: bool = false;

    /// False for formats whose times have a calendar, so that no unit can be chosen.
    const HAS_TIME_UNIT: bool = true;

    /// The length of the binary record that begins with `available`, or `None` if that is too
    /// little to tell.
    fn record_bytes(&self, _available: &[u8]) -> Result<Option<usize>, Fault> {
        Ok(None)
    }

    /// A parser for the file that begins with `head` (of a text: whole lines), as the user wishes.
    fn start(head: &[u8], options: &OpenOptions) -> Self;

    /// The request of a line (without blanks at its ends) or record; `None` for a well-formed one that
    /// is no request.
    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault>;

    /// The unit of times, and how it is known.
    fn time_unit(&self) -> String;

    /// Choices made in reading, if any.
    fn note(&self) -> String {
        String::new()
    }
}

/// A stream of the requests of a trace file.
pub(crate) struct FormatSource<P> {
    input: Input,
    parser: P,
    format: &'static str,
    options: OpenOptions,
    sink: Sink,
    /// Lines or records so far.
    line: u64,
    /// A line was not a heading.
    begun: bool,
    /// What ends the column of running numbers before the format's own.
    index: Option<u8>,
    /// The latest line had no end, as the last line of a file that was cut off.
    unterminated: bool,
    failure: Option<TraceError>,
    done: bool,
}

impl<P: Parser> FormatSource<P> {
    pub(crate) fn new(format: &'static str, input: Input, options: &OpenOptions) -> Self {
        let parser = P::start(head_of::<P>(&input), options);
        let index = index_of::<P>(head_of::<P>(&input));
        let sink = Sink::new(options);
        Self {
            input,
            parser,
            format,
            options: options.clone(),
            sink,
            line: 0,
            begun: false,
            index,
            unterminated: false,
            failure: None,
            done: false,
        }
    }

    /// The length of the next line without and with its end; `None` at the end of the file.
    #[inline]
    fn next_line(&mut self) -> Result<Option<(usize, usize)>, TraceError> {
        let mut searched = 0;
        loop {
            let available = self.input.available();
            if let Some(at) = memchr::memchr(b'\n', &available[searched..]) {
                return Ok(Some((searched + at, searched + at + 1)));
            }
            searched = available.len();
            if self.input.has_ended() {
                return Ok((searched > 0).then_some((searched, searched)));
            }
            if searched > LINE_LIMIT_BYTES {
                let problem = format!("the line is longer than {LINE_LIMIT_BYTES} bytes, so this is no text");
                return Err(TraceError::new(
                    ErrorKind::Malformed,
                    problem,
                    "check that the file is a trace and whole",
                ));
            }
            self.input.read_more()?;
        }
    }

    /// The length of the next binary record, twice; `None` at the end of the file.
    fn next_record(&mut self) -> Result<Option<(usize, usize)>, TraceError> {
        loop {
            let available = self.input.available();
            let needed = self.parser.record_bytes(available).map_err(|Fault { problem, .. }| {
                self.line += 1;
                TraceError::new(ErrorKind::Malformed, problem, "check that the file is whole, and its format")
            })?;
            match needed {
                Some(length) if length <= available.len() => return Ok(Some((length, length))),
                _ if !self.input.has_ended() => self.input.read_more()?,
                _ if available.is_empty() => return Ok(None),
                _ => {
                    let left = available.len();
                    let problem = format!("the file ends within the record, after {left} of its bytes");
                    self.line += 1;
                    return Err(TraceError::new(
                        ErrorKind::Truncated,
                        problem,
                        "copy it again, or cut off the incomplete record",
                    ));
                }
            }
        }
    }

    fn fill_or_fail(&mut self, batch: &mut Batch, go_on: &mut GoOn<'_>) -> Result<(), TraceError> {
        let mut unasked = 0;
        while !batch.is_full() {
            if unasked > ASKED_EACH_BYTES {
                unasked = 0;
                if !go_on(self.progress()) {
                    return Err(TraceError::interrupted());
                }
            }
            let found = if P::TEXT { self.next_line()? } else { self.next_record()? };
            let Some((length, consumed)) = found else {
                self.done = true;
                return self.sink.finish(self.input.path());
            };
            self.line += 1;
            let record = &self.input.available()[..length];
            let record = if P::TEXT { trimmed(record, self.line == 1) } else { record };
            let is_heading = P::TEXT && !P::READS_HEADINGS && is_passed_over(record, self.begun);
            let outcome = match without_index(record, self.index) {
                [] => Ok(()),
                _ if is_heading => {
                    self.sink.omissions.ignored_lines += 1;
                    Ok(())
                }
                line => match self.parser.parse(line) {
                    Ok(Some(record)) => self.sink.accept(record, place_of::<P>(self.line), batch),
                    Ok(None) => {
                        self.sink.omissions.ignored_lines += 1;
                        Ok(())
                    }
                    Err(fault) => Err(fault),
                },
            };
            self.begun |= !is_heading;
            if let Err(Fault { problem, .. }) = outcome {
                if !self.options.skip_bad_lines {
                    let remedy = format!(
                        "mend it, name another format than {}, or skip and count such lines (skip_bad_lines)",
                        self.format
                    );
                    return Err(TraceError::new(ErrorKind::Malformed, problem, remedy));
                }
                self.sink.omissions.bad_lines += 1;
            }
            self.unterminated = P::TEXT && consumed == length;
            self.input.consume(consumed);
            unasked += consumed + LINE_COST_BYTES;
        }
        Ok(())
    }
}

impl<P: Parser> Source for FormatSource<P> {
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError> {
        self.fill_watched(batch, &mut |_| true)
    }

    fn fill_watched(&mut self, batch: &mut Batch, go_on: &mut GoOn<'_>) -> Result<usize, TraceError> {
        batch.clear();
        if !self.done
            && let Err(error) = self.fill_or_fail(batch, go_on)
        {
            self.done = true;
            let place = match error.kind {
                ErrorKind::Empty => Place::Whole,
                _ => place_of::<P>(self.line.max(1)),
            };
            let error = self.input.blamed(error);
            self.failure = Some(error.in_file(self.input.path()).at(place));
        }
        // Requests read before the failure are delivered first.
        if batch.requests.is_empty()
            && let Some(error) = self.failure.take()
        {
            return Err(error);
        }
        Ok(batch.requests.len())
    }

    fn rewind(&mut self) -> Result<(), TraceError> {
        self.input.rewind()?;
        self.input.look_ahead(HEAD_BYTES)?;
        self.parser = P::start(head_of::<P>(&self.input), &self.options);
        self.sink.rewind();
        (self.line, self.begun, self.unterminated, self.failure, self.done) = (0, false, false, None, false);
        Ok(())
    }

    fn description(&self) -> Description {
        let mut note = self.parser.note();
        if self.unterminated {
            note += if note.is_empty() { "" } else { "; " };
            note += "the last line has no line end: the file may be cut off within it";
        }
        Description {
            name: self.input.path().file_name().unwrap_or_default().to_string_lossy().into_owned(),
            format: self.format.to_owned(),
            kind: Kind::Trace,
            timed: !self.parser.is_untimed(),
            requests: None,
            time_unit: self.parser.time_unit(),
            note,
        }
    }

    fn progress(&self) -> Option<(u64, u64)> {
        Some(self.input.progress())
    }

    fn volumes(&self) -> &[String] {
        self.sink.volumes()
    }

    fn omissions(&self) -> Omissions {
        self.sink.omissions
    }

    fn jumps(&self) -> Jumps {
        self.sink.jumps()
    }
}

/// The line or record of this number.
fn place_of<P: Parser>(number: u64) -> Place {
    if P::TEXT { Place::Line(number) } else { Place::Record(number) }
}

/// The head that tells formats and units: always the same beginning of a file, however much is
/// buffered.
fn head_of<P: Parser>(input: &Input) -> &[u8] {
    let available = input.available();
    let head = &available[..available.len().min(HEAD_BYTES)];
    if P::TEXT { whole_lines(head) } else { head }
}

/// The beginning of a file up to its last line end; all of it, if it has none.
pub(crate) fn whole_lines(head: &[u8]) -> &[u8] {
    match memchr::memrchr(b'\n', head) {
        Some(at) => &head[..=at],
        None => head,
    }
}

/// A line without blanks at its ends, carriage return and (in a first line) byte order mark.
#[inline]
fn trimmed(line: &[u8], first: bool) -> &[u8] {
    let line = if first { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
    line.trim_ascii()
}

/// True for a comment, and for a line of words before the first request: no column begins with a
/// digit.
#[inline]
pub(crate) fn is_passed_over(line: &[u8], begun: bool) -> bool {
    match line {
        [b'#', ..] | [b'/', b'/', ..] => true,
        _ => !begun && is_heading(line),
    }
}

#[cold]
fn is_heading(line: &[u8]) -> bool {
    let is_number = |field: &[u8]| match field.trim_ascii() {
        [first, ..] if first.is_ascii_digit() => true,
        [b'-' | b'+' | b'.' | b'"', second, ..] => second.is_ascii_digit(),
        _ => false,
    };
    !line.split(|byte| matches!(byte, b' ' | b'\t' | b',' | b';' | b'|')).any(is_number)
}

/// What ends a column of running numbers, where the heading begins with it, as pandas writes.
fn index_of<P: Parser>(head: &[u8]) -> Option<u8> {
    let first = if P::TEXT && !P::READS_HEADINGS { first_line(head) } else { b"" };
    first.first().copied().filter(|byte| matches!(byte, b',' | b';')).filter(|_| is_heading(first))
}

fn first_line(head: &[u8]) -> &[u8] {
    let mut lines = whole_lines(head).split(|&byte| byte == b'\n').zip(1u64..);
    let found =
        lines.find_map(|(line, number)| Some(trimmed(line, number == 1)).filter(|line| !line.is_empty()));
    found.unwrap_or_default()
}

/// A line without the column of running numbers.
#[inline]
fn without_index(line: &[u8], index: Option<u8>) -> &[u8] {
    match index.and_then(|end| memchr::memchr(end, line)) {
        Some(at) => &line[at + 1..],
        None => line,
    }
}

/// The lines of a head, headings and comments too.
pub(crate) fn lines_of(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    numbered_lines_of(head).map(|(_, line)| line)
}

/// The same with their numbers, counted from 1.
pub(crate) fn numbered_lines_of(head: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let lines = whole_lines(head).split(|&byte| byte == b'\n').zip(1u64..);
    lines.map(|(line, number)| (number, trimmed(line, number == 1))).filter(|(_, line)| !line.is_empty())
}

/// The lines of a head as the parser of a format gets them, with their numbers.
pub(crate) fn records_of<P: Parser>(head: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let (index, mut begun) = (index_of::<P>(head), false);
    numbered_lines_of(head).filter_map(move |(number, line)| {
        let passed = P::TEXT && !P::READS_HEADINGS && is_passed_over(line, begun);
        begun |= !passed;
        (!passed).then(|| (number, without_index(line, index)))
    })
}
