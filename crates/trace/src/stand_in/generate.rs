//! Draws requests from a profile.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::bins::draw_octave;
use super::deck::Deck;
use super::moment::Moment;
use super::places::Places;
use super::profile::{Access, PAGE_BYTES, Profile};
use super::schedule::{Going, Schedule};
use super::sites::Touch;
use crate::operation::Operation;
use crate::pages::SECTOR_BYTES;
use crate::request::Request;

/// A day in nanoseconds.
const DAY_NS: f64 = 86_400e9;
/// The least part of the mean rate, so that a full swing does not stop the workload for good.
const LEAST_RATE: f64 = 0.02;

/// A workload in the likeness of a profile.
#[derive(Clone, Debug)]
pub(crate) struct StandIn {
    /// Of reads, of writes and of trims.
    accesses: [Access; 3],
    /// Requests that the whole workload will have.
    requests: u64,
    now_ns: u64,
    last: Moment,
    content: Option<String>,
    places: Places,
    schedules: [Schedule; 3],
    is_timed: bool,
    stretch: f64,
    day_swing: f64,
    /// Successors of each moment.
    chain: Vec<(Vec<u16>, Deck)>,
}

impl StandIn {
    /// A workload of `requests` requests, by default as many as the profile says.
    pub(crate) fn new(profile: Profile, requests: Option<u64>) -> StandIn {
        let mut chain = vec![(Vec::new(), Deck::default()); Moment::COUNT];
        for (from, next, deck) in profile.arrival.chain {
            chain[usize::from(from)] = (next, deck);
        }
        let count = requests.unwrap_or(profile.requests).max(1);
        let share = count as f64 / profile.requests as f64;
        StandIn {
            requests: count,
            now_ns: 0,
            last: Moment::START,
            places: Places::new(profile.space_pages, [&profile.read, &profile.write, &profile.trim], share),
            schedules: Default::default(),
            stretch: profile.arrival.stretch,
            day_swing: profile.arrival.day_swing,
            content: profile.content,
            is_timed: profile.arrival.is_timed,
            chain,
            accesses: [profile.read, profile.write, profile.trim],
        }
    }

    /// Requests of the whole workload.
    pub(crate) fn requests(&self) -> u64 {
        self.requests
    }

    /// Parameters of the content of writes.
    pub(crate) fn content(&self) -> Option<&str> {
        self.content.as_deref()
    }

    /// Whether requests have times of their own.
    pub(crate) fn is_timed(&self) -> bool {
        self.is_timed
    }

    /// The next request, its time counted from the first.
    pub(crate) fn next_request(&mut self, random: &mut Xoshiro256PlusPlus) -> Request {
        let touch = self.arrive(random);
        let access = &mut self.accesses[touch as usize];
        let mut going = match self.schedules[touch as usize].next() {
            Some(going) => going,
            None => {
                let (first, shape) = self.places.begin(access, touch, random);
                Going::new(first, shape)
            }
        };
        let pages = going.take();
        let first = going.next - u64::from(pages);
        self.places.ended(touch, going.next - 1);
        if going.left > 0 {
            let between = access.between.draw(random).map_or(0, |octave| draw_octave(octave, random));
            self.schedules[touch as usize].put(going, between);
        }
        let sectors = match pages {
            1 => access.sectors.draw(random).map_or(PAGE_BYTES / SECTOR_BYTES, |sectors| sectors as u64),
            pages => u64::from(pages) * (PAGE_BYTES / SECTOR_BYTES),
        };
        let operation = match touch {
            Touch::Read => Operation::Read,
            Touch::Write => Operation::Write,
            Touch::Trim => Operation::Trim,
        };
        Request::new(self.now_ns, operation, first * PAGE_BYTES, sectors * SECTOR_BYTES)
    }

    /// Lets time pass to the next request; returns its operation.
    fn arrive(&mut self, random: &mut Xoshiro256PlusPlus) -> Touch {
        let last = usize::from(self.last.number());
        // The chain ends in the last moment of the trace: on from any other.
        let is_known = |row: &usize| self.chain[*row].1.total() > 0;
        let row = [last].into_iter().chain(0..self.chain.len()).find(is_known);
        let next = row.and_then(|row| {
            let (next, deck) = &mut self.chain[row];
            next.get(deck.draw(random)?).copied()
        });
        self.last = next.map_or(self.last, Moment::of_number);
        let pause_ns = draw_octave(self.last.pause, random) as f64 * self.stretch;
        // The rate swings about its mean as a sine over the day.
        let angle = std::f64::consts::TAU * (self.now_ns as f64 / DAY_NS).fract();
        let rate = (1.0 + self.day_swing * libm::sin(angle)).max(LEAST_RATE);
        self.now_ns = self.now_ns.saturating_add((pause_ns / rate) as u64);
        self.last.touch
    }
}
