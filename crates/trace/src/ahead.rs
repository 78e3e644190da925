//! Reading ahead: a thread fills the next batches while the caller works on one.
//!
//! The caller sees the same batches in the same order as without, and of the source what was known
//! when the batch was filled. So nothing of a result depends on how far the thread has come.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use crate::error::TraceError;
use crate::jumps::Jumps;
use crate::known::Known;
use crate::request::Batch;
use crate::source::{Description, GoOn, Omissions, Source};

/// Batches under way: one that is filled, and one that waits for the caller.
const DEPTH: usize = 2;

/// How long a caller waits for a batch before it is asked whether to go on.
const ASKED_EACH: Duration = Duration::from_millis(50);

/// Calls `work` with a source that gives what `source` gives, read by another thread.
pub fn ahead<R>(source: &mut (dyn Source + Send), work: impl FnOnce(&mut dyn Source) -> R) -> R {
    let (orders, taken) = sync_channel::<Order>(DEPTH + 1);
    let (given, answers) = sync_channel::<Answer>(DEPTH + 1);
    let mut known = Known::of(source, 0);
    let volumes = std::mem::take(&mut known.more_volumes);
    let stop = AtomicBool::new(false);
    let stop = &stop;
    thread::scope(|scope| {
        scope.spawn(move || serve(source, &taken, &given, stop));
        // Dropped before the scope waits for the thread, which ends when nobody orders any more.
        let mut ahead = Ahead {
            orders,
            answers,
            stop,
            under_way: 0,
            spare: Vec::new(),
            limit: 0,
            at_end: false,
            known,
            volumes,
        };
        work(&mut ahead)
    })
}

/// An order to the thread.
enum Order {
    Fill(Batch),
    Rewind,
    NextPass,
}

/// A batch, if one was ordered; how the order ended; and what is known of the source after it.
struct Answer {
    batch: Option<Batch>,
    outcome: Result<usize, TraceError>,
    known: Known,
}

fn serve(
    source: &mut (dyn Source + Send),
    orders: &Receiver<Order>,
    answers: &SyncSender<Answer>,
    stop: &AtomicBool,
) {
    let mut known_volumes = source.volumes().len();
    for order in orders {
        let (batch, outcome) = match order {
            Order::Rewind | Order::NextPass => {
                let again = matches!(order, Order::Rewind);
                let outcome = if again { source.rewind() } else { source.next_pass() };
                known_volumes = 0;
                (None, outcome.map(|()| 0))
            }
            Order::Fill(mut batch) => {
                let outcome = source.fill_watched(&mut batch, &mut |_| !stop.load(Ordering::Relaxed));
                (Some(batch), outcome)
            }
        };
        let known = Known::of(source, known_volumes);
        known_volumes = source.volumes().len();
        if answers.send(Answer { batch, outcome, known }).is_err() {
            return;
        }
    }
}

/// The caller's side.
struct Ahead<'a> {
    orders: SyncSender<Order>,
    answers: Receiver<Answer>,
    /// Tells the thread to end the batch that it fills.
    stop: &'a AtomicBool,
    under_way: usize,
    spare: Vec<Batch>,
    /// Requests of a batch at most, as the caller's batches have it.
    limit: usize,
    /// Whether the stream has ended or failed, until it is rewound.
    at_end: bool,
    known: Known,
    volumes: Vec<String>,
}

/// The thread may be looking for a request, and nobody wants it any more.
impl Drop for Ahead<'_> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Ahead<'_> {
    fn order(&mut self) {
        while !self.at_end && self.under_way < DEPTH {
            let batch = self.spare.pop().unwrap_or_else(|| Batch::with_limit(self.limit));
            // A thread that panicked is found out when its answer is missing.
            let _ = self.orders.send(Order::Fill(batch));
            self.under_way += 1;
        }
    }

    /// The next answer. Where `go_on` does not want to wait for it the thread is told to hurry.
    #[allow(clippy::expect_used)] // The scope passes the panic of its thread on.
    fn answer(&mut self, go_on: &mut GoOn<'_>) -> (Option<Batch>, Result<usize, TraceError>) {
        let answer = loop {
            match self.answers.recv_timeout(ASKED_EACH) {
                Err(RecvTimeoutError::Timeout) if !go_on(self.known.progress) => {
                    self.stop.store(true, Ordering::Relaxed);
                    break self.answers.recv().ok();
                }
                Err(RecvTimeoutError::Timeout) => {}
                answer => break answer.ok(),
            }
        };
        let Answer { batch, outcome, mut known } = answer.expect("the thread that reads answers each order");
        self.volumes.append(&mut known.more_volumes);
        self.known = known;
        (batch, outcome)
    }
}

impl Source for Ahead<'_> {
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError> {
        self.fill_watched(batch, &mut |_| true)
    }

    fn fill_watched(&mut self, batch: &mut Batch, go_on: &mut GoOn<'_>) -> Result<usize, TraceError> {
        if self.at_end {
            batch.clear();
            return Ok(0);
        }
        if self.limit != batch.limit() {
            // The first batch decides; a caller has one.
            self.limit = batch.limit();
        }
        self.order();
        let (filled, outcome) = self.answer(go_on);
        self.under_way -= 1;
        if let Some(filled) = filled {
            self.spare.push(std::mem::replace(batch, filled));
        }
        self.at_end = !matches!(outcome, Ok(1..));
        self.order();
        outcome
    }

    fn rewind(&mut self) -> Result<(), TraceError> {
        self.start(Order::Rewind)
    }

    fn next_pass(&mut self) -> Result<(), TraceError> {
        self.start(Order::NextPass)
    }

    fn description(&self) -> Description {
        self.known.description.clone()
    }

    fn progress(&self) -> Option<(u64, u64)> {
        self.known.progress
    }

    fn volumes(&self) -> &[String] {
        &self.volumes
    }

    fn omissions(&self) -> Omissions {
        self.known.omissions
    }

    fn jumps(&self) -> Jumps {
        self.known.jumps
    }
}

impl Ahead<'_> {
    /// Begins a pass.
    fn start(&mut self, pass: Order) -> Result<(), TraceError> {
        // Requests read beyond the end, or beyond where the caller stopped.
        self.stop.store(true, Ordering::Relaxed);
        for _ in 0..std::mem::take(&mut self.under_way) {
            if let (Some(batch), _) = self.answer(&mut |_| true) {
                self.spare.push(batch);
            }
        }
        self.stop.store(false, Ordering::Relaxed);
        self.volumes.clear();
        let _ = self.orders.send(pass);
        let (_, outcome) = self.answer(&mut |_| true);
        self.at_end = outcome.is_err();
        outcome.map(drop)
    }
}
