//! Requests that go on where an earlier one ended.

use serde::Serialize;

use super::histogram::{Class, PowerHistogram};

/// Streams that are followed at a time.
pub const STREAMS: usize = 32;

/// Sequentiality of one operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sequentiality {
    /// Requests with a length.
    pub requests: u64,
    /// Those that begin where the request of the same kind before them ended.
    pub after_the_last: u64,
    /// Those that begin where one of the 32 latest streams of the same kind ended, so that several
    /// interleaved streams count.
    pub in_a_stream: u64,
    /// Streams by their length in bytes; weight: bytes. A request that continues nothing begins a
    /// stream.
    pub streams: Vec<Class>,
}

#[derive(Clone, Copy, Debug)]
struct Stream {
    end: u64,
    bytes: u64,
    /// The request that used it last.
    used: u64,
}

/// Follows the streams of one kind of request. About 2 KB.
#[derive(Clone, Debug, Default)]
pub(crate) struct Streams {
    streams: Vec<Stream>,
    last_end: Option<u64>,
    requests: u64,
    after_the_last: u64,
    in_a_stream: u64,
    lengths: PowerHistogram,
}

impl Streams {
    /// A request from byte `start` on, of `bytes` (at least 1).
    pub(crate) fn add(&mut self, start: u64, bytes: u64) {
        let end = start.saturating_add(bytes);
        self.requests += 1;
        self.after_the_last += u64::from(self.last_end == Some(start));
        self.last_end = Some(end);
        let used = self.requests;
        // Of two streams with the same end the later one goes on.
        let found =
            self.streams.iter_mut().filter(|stream| stream.end == start).max_by_key(|stream| stream.used);
        if let Some(stream) = found {
            self.in_a_stream += 1;
            *stream = Stream { end, bytes: stream.bytes.saturating_add(bytes), used };
            return;
        }
        let begun = Stream { end, bytes, used };
        if self.streams.len() < STREAMS {
            self.streams.push(begun);
        } else if let Some(oldest) = self.streams.iter_mut().min_by_key(|stream| stream.used) {
            self.lengths.add(oldest.bytes, oldest.bytes);
            *oldest = begun;
        }
    }

    pub(crate) fn finish(mut self) -> Sequentiality {
        self.streams.iter().for_each(|stream| self.lengths.add(stream.bytes, stream.bytes));
        Sequentiality {
            requests: self.requests,
            after_the_last: self.after_the_last,
            in_a_stream: self.in_a_stream,
            streams: self.lengths.classes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interleaved_streams_are_told_apart() {
        let mut streams = Streams::default();
        for step in 0..100u64 {
            for stream in 0..10u64 {
                streams.add(stream * 1_000_000 + step * 512, 512);
            }
        }
        let found = streams.finish();
        assert_eq!((found.requests, found.after_the_last, found.in_a_stream), (1000, 0, 990));
        let [class] = found.streams[..] else { panic!("all streams have one length") };
        assert_eq!((class.up_to, class.count, class.weight), (65_536, 10, 512_000));
    }

    #[test]
    fn one_stream_follows_itself_and_too_many_are_forgotten() {
        let mut one = Streams::default();
        (0..5).for_each(|step| one.add(step * 10, 10));
        assert_eq!(one.finish().after_the_last, 4);
        let mut many = Streams::default();
        for step in 0..2u64 {
            (0..=STREAMS as u64).for_each(|stream| many.add(stream * 1000 + step * 10, 10));
        }
        let found = many.finish();
        assert_eq!(found.in_a_stream, 0, "one more than are followed");
        assert_eq!(found.streams.iter().map(|class| class.count).sum::<u64>(), 2 * (STREAMS as u64 + 1));
    }
}
