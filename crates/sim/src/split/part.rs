//! A part of a drive, and its thread.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use rewear_flash::Nanos;
use rewear_ftl::cache_hints::Ahead;
use rewear_ftl::host::{Command, Content, Coverage, HostWrite};
use rewear_ftl::{Ftl, FtlError, Lpn};
use rewear_trace::Operation;

use crate::host::Served;

/// Steps that travel together at most: 96 KiB.
const STEPS: usize = 4096;
/// Pages in them at most, but for the last step: a thread that is to end does what is on its way.
const PAGES: u64 = 4 * STEPS as u64;
/// Batches of steps that wait for a part at most. Chance gives one part more to do than the other
/// for a while, and neither should wait for that.
const WAITING: usize = 16;
/// Steps by which hints of the map are ahead of its use.
const LOOK_AHEAD: usize = 8;
/// Steps by which hints of present places are ahead, after the map.
const PLACES_AHEAD: usize = LOOK_AHEAD / 2;

/// What a part is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    Serve(Run, Asked),
    /// So many pages of the whole drive were written: the erases of now are to be kept.
    Sample(u64),
}

/// What a request asks of pages, whichever parts have them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    pub(super) at: Nanos,
    pub(super) operation: Operation,
    /// How much of its pages a write has.
    pub(super) coverage: Coverage,
    pub(super) answer: Answer,
}

/// Pages in a row, numbered within a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) first: u32,
    pub(super) pages: u32,
}

/// Who answers the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// The host wants no times.
    Nobody,
    /// The part, which has all of the request.
    Part,
    /// All parts that have a piece of the request.
    Together,
}

impl Step {
    fn run(self) -> Option<Run> {
        match self {
            Step::Serve(run, _) => Some(run),
            Step::Sample(_) => None,
        }
    }
}

/// A part of a drive.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) ftl: Ftl,
    /// Its answers, and its erases in the course of the writes to the whole drive.
    pub(super) served: Served,
    /// Ends of its pieces of requests that several parts answer.
    pub(super) ends: Vec<Nanos>,
    /// Why it does nothing any more.
    pub(super) failure: Option<FtlError>,
}

impl Part {
    fn carry_out(&mut self, steps: &[Step]) {
        let hints_places = self.ftl.hints_present_places();
        for (index, &step) in steps.iter().enumerate() {
            if self.failure.is_some() {
                return;
            }
            if let Some(coming) = steps.get(index + LOOK_AHEAD).and_then(|coming| coming.run()) {
                self.ftl.hint(Ahead::Map, coming.first.into(), None);
            }
            if hints_places
                && let Some(coming) = steps.get(index + PLACES_AHEAD).and_then(|coming| coming.run())
            {
                self.ftl.hint_present_place(coming.first.into());
            }
            match step {
                Step::Serve(run, asked) => {
                    if let Err(failure) = self.serve(run, asked) {
                        self.failure = Some(failure);
                    }
                }
                Step::Sample(pages_written) => {
                    self.served.halves.sample(pages_written, self.ftl.counters().erases);
                }
            }
        }
    }

    #[inline]
    fn serve(&mut self, run: Run, asked: Asked) -> Result<(), FtlError> {
        let Asked { at, operation, coverage, answer } = asked;
        let ftl = &mut self.ftl;
        let end = match operation {
            // What most requests are, known when it is compiled.
            Operation::Write if coverage == Coverage::Whole => {
                last_end(run, at, |page| ftl.write(at, page, HostWrite::WHOLE))?
            }
            Operation::Write | Operation::Overwrite => {
                let command = match operation {
                    Operation::Overwrite => Command::Overwrite,
                    _ => Command::Write,
                };
                let write = HostWrite { coverage, command, content: Content::Unknown };
                last_end(run, at, |page| ftl.write(at, page, write))?
            }
            Operation::Read => last_end(run, at, |page| ftl.read(at, page))?,
            Operation::Trim => ftl.trim_pages(run.first..run.first + run.pages).map(|()| at)?,
            Operation::Flush | Operation::UpdateHandle => at,
        };
        match answer {
            Answer::Nobody => {}
            Answer::Part => self.served.answered(operation, at, end),
            Answer::Together => self.ends.push(end),
        }
        Ok(())
    }
}

/// When all pages of a run are served, from `at` on.
#[inline]
fn last_end(
    run: Run,
    at: Nanos,
    mut serve: impl FnMut(Lpn) -> Result<Nanos, FtlError>,
) -> Result<Nanos, FtlError> {
    (run.first..run.first + run.pages).map(Lpn).try_fold(at, |end, page| Ok(end.max(serve(page)?)))
}

/// What the thread of a part is told.
enum Order {
    Carry(Vec<Step>),
    /// To hand over the part, and wait until it comes back.
    HandOver,
    GoOn(Box<Part>),
}

/// The thread of a part, seen from outside.
#[derive(Debug)]
pub(super) struct Worker {
    /// Steps that are not on their way yet, and pages in them.
    steps: Vec<Step>,
    pages: u64,
    /// Absent once the thread is to end.
    orders: Option<SyncSender<Order>>,
    handed_over: Receiver<Box<Part>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    pub(super) fn new(ftl: Ftl) -> Worker {
        let part = Box::new(Part { ftl, served: Served::default(), ends: Vec::new(), failure: None });
        let (orders, taken) = sync_channel(WAITING);
        let (hand_over, handed_over) = sync_channel(1);
        let thread = thread::spawn(move || work(part, &taken, &hand_over));
        Worker {
            steps: Vec::with_capacity(STEPS),
            pages: 0,
            orders: Some(orders),
            handed_over,
            thread: Some(thread),
        }
    }

    /// Asks for a step.
    #[inline(always)]
    pub(super) fn ask(&mut self, step: Step) {
        self.steps.push(step);
        self.pages += step.run().map_or(0, |run| run.pages.into());
        if self.steps.len() == STEPS || self.pages >= PAGES {
            self.send();
        }
    }

    #[inline(never)]
    fn send(&mut self) {
        let steps = std::mem::replace(&mut self.steps, Vec::with_capacity(STEPS));
        self.pages = 0;
        self.order(Order::Carry(steps));
    }

    /// A thread that panicked is found out when its part is asked for.
    fn order(&self, order: Order) {
        if let Some(orders) = &self.orders {
            let _ = orders.send(order);
        }
    }

    /// Asks for the part itself, once all steps are done.
    pub(super) fn call_in(&mut self) {
        self.send();
        self.order(Order::HandOver);
    }

    /// The part that was called in.
    pub(super) fn part(&mut self) -> Box<Part> {
        match self.handed_over.recv() {
            Ok(part) => part,
            Err(_) => self.pass_panic_on(),
        }
    }

    /// Gives the part back.
    pub(super) fn give_back(&self, part: Box<Part>) {
        self.order(Order::GoOn(part));
    }

    fn pass_panic_on(&mut self) -> ! {
        match self.thread.take().map(JoinHandle::join) {
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            _ => unreachable!("a thread whose part is asked for ends by a panic only"),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // Whoever needed the part has heard of a panic.
            let _ = thread.join();
        }
    }
}

fn work(mut part: Box<Part>, orders: &Receiver<Order>, hand_over: &SyncSender<Box<Part>>) {
    for order in orders {
        match order {
            Order::Carry(steps) => part.carry_out(&steps),
            Order::HandOver => {
                if hand_over.send(part).is_err() {
                    return;
                }
                let Ok(Order::GoOn(back)) = orders.recv() else { return };
                part = back;
            }
            Order::GoOn(_) => {}
        }
    }
}
