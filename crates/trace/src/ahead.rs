//! Reading ahead: a thread fills the next batches while the caller works on one.
//!
//! The caller sees the same batches in the same order as without, and of the source what was known
//! when the batch was filled. So nothing of a result depends on how far the thread has come.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crate::error::TraceError;
use crate::request::Batch;
use crate::source::{Description, Omissions, Source};

/// Batches under way: one that is filled, and one that waits for the caller.
const DEPTH: usize = 2;

/// Calls `work` with a source that gives what `source` gives, read by another thread.
pub fn ahead<R>(source: &mut (dyn Source + Send), work: impl FnOnce(&mut dyn Source) -> R) -> R {
    let (orders, taken) = sync_channel::<Order>(DEPTH + 1);
    let (given, answers) = sync_channel::<Answer>(DEPTH + 1);
    let mut known = Known::of(source, 0);
    known.volumes = std::mem::take(&mut known.more_volumes);
    thread::scope(|scope| {
        scope.spawn(move || serve(source, &taken, &given));
        // Dropped before the scope waits for the thread, which ends when nobody orders any more.
        let mut ahead =
            Ahead { orders, answers, under_way: 0, spare: Vec::new(), limit: 0, at_end: false, known };
        work(&mut ahead)
    })
}

/// What the thread is asked for.
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

/// What a source says of itself at a place.
struct Known {
    description: Description,
    progress: Option<(u64, u64)>,
    omissions: Omissions,
    /// Names of volumes beyond those that are known already.
    more_volumes: Vec<String>,
    volumes: Vec<String>,
}

impl Known {
    fn of(source: &(dyn Source + Send), known_volumes: usize) -> Known {
        Known {
            description: source.description(),
            progress: source.progress(),
            omissions: source.omissions(),
            more_volumes: source.volumes().get(known_volumes..).unwrap_or_default().to_vec(),
            volumes: Vec::new(),
        }
    }
}

fn serve(source: &mut (dyn Source + Send), orders: &Receiver<Order>, answers: &SyncSender<Answer>) {
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
                let outcome = source.fill(&mut batch);
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
struct Ahead {
    orders: SyncSender<Order>,
    answers: Receiver<Answer>,
    under_way: usize,
    spare: Vec<Batch>,
    /// Requests of a batch at most, as the caller's batches have it.
    limit: usize,
    /// Whether the stream has ended or failed, until it is rewound.
    at_end: bool,
    known: Known,
}

impl Ahead {
    fn order(&mut self) {
        while !self.at_end && self.under_way < DEPTH {
            let batch = self.spare.pop().unwrap_or_else(|| Batch::with_limit(self.limit));
            // A thread that panicked is found out when its answer is missing.
            let _ = self.orders.send(Order::Fill(batch));
            self.under_way += 1;
        }
    }

    #[allow(clippy::expect_used)] // The scope passes the panic of its thread on.
    fn answer(&mut self) -> (Option<Batch>, Result<usize, TraceError>) {
        let Answer { batch, outcome, mut known } =
            self.answers.recv().expect("the thread that reads answers each order");
        known.volumes = std::mem::take(&mut self.known.volumes);
        known.volumes.append(&mut known.more_volumes);
        self.known = known;
        (batch, outcome)
    }
}

impl Source for Ahead {
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError> {
        if self.at_end {
            batch.clear();
            return Ok(0);
        }
        if self.limit != batch.limit() {
            // The first batch decides; a caller has one.
            self.limit = batch.limit();
        }
        self.order();
        let (filled, outcome) = self.answer();
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
        &self.known.volumes
    }

    fn omissions(&self) -> Omissions {
        self.known.omissions
    }
}

impl Ahead {
    /// Begins a pass.
    fn start(&mut self, pass: Order) -> Result<(), TraceError> {
        // What was read beyond the end, or beyond where the caller stopped.
        for _ in 0..std::mem::take(&mut self.under_way) {
            if let (Some(batch), _) = self.answer() {
                self.spare.push(batch);
            }
        }
        self.known.volumes.clear();
        let _ = self.orders.send(pass);
        let (_, outcome) = self.answer();
        self.at_end = outcome.is_err();
        outcome.map(drop)
    }
}
