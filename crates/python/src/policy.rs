//! Policies in Python: asked a unit at a time, with the GIL taken for as long as that takes.
//!
//! An exception or a wrong answer of a call ends the replay: it is kept here, the greedy victim stands
//! in for what is left until the replay looks, and the caller raises it.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice};
use rewear_ftl::address::{Pool, Unit};
use rewear_ftl::policies::streams::StreamsConfig;
use rewear_ftl::policies::streams::custom::{self as streams, Ages, Emptied, SortByAge};
use rewear_ftl::policies::victim::VictimConfig;
use rewear_ftl::policies::victim::custom::{self as victim, ChooseVictim};
use rewear_ftl::state::units::Units;
use rewear_ftl::state::units::stream::Stream;
use rewear_ftl::state::units::valid_count_index;

use crate::errors::configuration_error;

/// Streams that a policy may have.
const MOST_STREAMS: usize = 16;
/// How often a watch looks at the calls of a policy.
const LOOKS_EACH: Duration = Duration::from_millis(250);

/// The functions of a policy, and how often they were asked in one replay.
#[pyclass(frozen, module = "rewear._core")]
pub(crate) struct Policy {
    asked: Arc<Asked>,
}

#[derive(Debug)]
struct Asked {
    name: String,
    victim: Option<Py<PyAny>>,
    host: Option<Py<PyAny>>,
    moved: Option<Py<PyAny>>,
    streams: u8,
    /// Called with the name of a function and what it raised or answered: the exception to raise.
    explain: Py<PyAny>,
    raised: Mutex<Option<PyErr>>,
    failed: AtomicBool,
    /// Calls begun and ended, and nanoseconds of those that have ended.
    begun: AtomicU64,
    ended: AtomicU64,
    spent_ns: AtomicU64,
}

#[pymethods]
impl Policy {
    /// `victim` chooses units; `host` and `moved` say ages that divide `streams` streams.
    #[new]
    fn new(
        name: String,
        victim: Option<Py<PyAny>>,
        host: Option<Py<PyAny>>,
        moved: Option<Py<PyAny>>,
        streams: u8,
        explain: Py<PyAny>,
    ) -> Self {
        let asked = Asked {
            name,
            victim,
            host,
            moved,
            streams,
            explain,
            raised: Mutex::default(),
            failed: AtomicBool::default(),
            begun: AtomicU64::default(),
            ended: AtomicU64::default(),
            spent_ns: AtomicU64::default(),
        };
        Self { asked: Arc::new(asked) }
    }

    /// Calls begun so far, and calls ended.
    #[getter]
    fn calls(&self) -> (u64, u64) {
        (self.asked.begun.load(Ordering::Relaxed), self.asked.ended.load(Ordering::Relaxed))
    }

    /// Ends the process, with `said` on stderr and exit code 2, once a call takes longer than `limit_s`:
    /// what is not Python's own code takes no exception.
    fn end_process_after(&self, limit_s: f64, said: String) {
        let asked = Arc::downgrade(&self.asked);
        let watch = move || {
            let (mut seen, mut since) = (0, Instant::now());
            while let Some(asked) = asked.upgrade() {
                let (begun, ended) =
                    (asked.begun.load(Ordering::Relaxed), asked.ended.load(Ordering::Relaxed));
                drop(asked);
                if begun == ended || begun != seen {
                    (seen, since) = (begun, Instant::now());
                } else if since.elapsed().as_secs_f64() > limit_s {
                    eprintln!("{said}");
                    std::process::exit(2);
                }
                std::thread::sleep(LOOKS_EACH);
            }
        };
        // Without a thread calls are watched by Python alone.
        let _ = std::thread::Builder::new().name("rewear-policy-end".to_owned()).spawn(watch);
    }

    /// Seconds spent in calls that have ended, what hands the units over included.
    #[getter]
    fn seconds(&self) -> f64 {
        self.asked.spent_ns.load(Ordering::Relaxed) as f64 * 1e-9
    }
}

impl Policy {
    /// The drive with this policy in place of its own.
    pub(crate) fn put_into(&self, drive: &rewear_sim::Drive) -> PyResult<rewear_sim::Drive> {
        let (asked, mut config) = (&self.asked, drive.configuration().clone());
        if asked.victim.is_some() {
            let policy: Arc<dyn ChooseVictim> = Arc::<Asked>::clone(asked);
            config.ftl.victim =
                VictimConfig::Custom(victim::CustomConfig { name: asked.name.clone(), policy });
        }
        if asked.streams > 0 {
            let policy: Arc<dyn SortByAge> = Arc::<Asked>::clone(asked);
            config.ftl.streams = StreamsConfig::Custom(streams::CustomConfig {
                name: asked.name.clone(),
                streams: asked.streams,
                policy,
            });
        }
        rewear_sim::Drive::new(config).map_err(configuration_error)
    }

    /// Whether an answer was missing, so that the replay may end.
    pub(crate) fn has_failed(&self) -> bool {
        self.asked.failed.load(Ordering::Relaxed)
    }

    /// The exception that was raised, if any.
    pub(crate) fn finish<T>(&self, result: PyResult<T>) -> PyResult<T> {
        match self.asked.raised.lock().ok().and_then(|mut raised| raised.take()) {
            Some(error) => Err(error),
            None => result,
        }
    }
}

impl Asked {
    /// The answer of `ask`; nothing once something went wrong.
    fn ask<T>(&self, name: &str, ask: impl FnOnce(Python<'_>, u64) -> Result<T, Wrong>) -> Option<T> {
        if self.failed.load(Ordering::Relaxed) {
            return None;
        }
        Python::attach(|py| {
            let begin = Instant::now();
            let call = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
            let answer = ask(py, call);
            self.ended.store(call, Ordering::Relaxed);
            self.spent_ns.fetch_add(begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
            answer.map_err(|wrong| self.fail(py, name, wrong)).ok()
        })
    }

    #[cold]
    fn fail(&self, py: Python<'_>, name: &str, wrong: Wrong) {
        let explained = match wrong {
            Wrong::Raised(error) => self.explain.call1(py, (name, error.into_value(py), py.None())),
            Wrong::Answer(answer, problem) => self.explain.call1(py, (name, py.None(), (answer, problem))),
        };
        let error = explained.map_or_else(|error| error, |error| PyErr::from_value(error.into_bound(py)));
        if let Ok(mut raised) = self.raised.lock() {
            raised.get_or_insert(error);
        }
        self.failed.store(true, Ordering::Relaxed);
    }

    fn ages(&self, answer: &Bound<'_, PyAny>) -> Result<Ages, Wrong> {
        let wrong = |problem: String| Wrong::Answer(answer.clone().unbind(), problem);
        let parts = ages_of(answer).or_else(|_| answer.extract::<i64>().map(|at| (at, vec![])));
        let (first, divide) = parts.map_err(|_| {
            wrong(
                "is neither the number of a stream nor a pair of one and the ages that lead to the next ones"
                    .into(),
            )
        })?;
        let last = first.saturating_add(divide.len() as i64);
        if first < 0 || last >= i64::from(self.streams) {
            return Err(wrong(format!(
                "leads to the streams {first} to {last}, and there are 0 to {}",
                self.streams - 1
            )));
        }
        if !divide.iter().all(|&age| age >= 0.0) || !divide.is_sorted() {
            return Err(wrong("has ages that do not rise from 0 on".into()));
        }
        // A float beyond the largest whole number becomes that number.
        Ok(Ages { first: first as u8, divide: divide.into_iter().map(|age| age.ceil() as u64).collect() })
    }
}

/// The stream and at most the permitted number of ages: a policy may return an endless iterator.
fn ages_of(answer: &Bound<'_, PyAny>) -> PyResult<(i64, Vec<f64>)> {
    let (first, ages) = answer.extract::<(i64, Bound<'_, PyAny>)>()?;
    let taken: PyResult<Vec<f64>> =
        ages.try_iter()?.take(MOST_STREAMS + 1).map(|age| age?.extract()).collect();
    Ok((first, taken?))
}

/// Why an answer does not count.
enum Wrong {
    Raised(PyErr),
    Answer(Py<PyAny>, String),
}

impl From<PyErr> for Wrong {
    fn from(error: PyErr) -> Self {
        Wrong::Raised(error)
    }
}

impl ChooseVictim for Asked {
    fn choose(&self, units: &Units, pool: Pool) -> Option<Unit> {
        let greedy = units.fewest_valid(pool)?;
        let Some(victim) = &self.victim else { return Some(greedy) };
        let chosen = self.ask("victim", |py, call| {
            let candidates = Bound::new(py, Candidates::of(units, pool, call))?;
            let answer = victim.bind(py).call1((candidates,))?;
            match answer.cast::<Candidate>() {
                Ok(unit) if unit.get().call == call => Ok(unit.get().unit),
                Ok(_) => Err(Wrong::Answer(
                    answer.unbind(),
                    "is a unit of an earlier call, which may be gone".into(),
                )),
                Err(_) => {
                    Err(Wrong::Answer(answer.unbind(), "is none of the units that it was given".into()))
                }
            }
        });
        Some(chosen.unwrap_or(greedy))
    }
}

impl SortByAge for Asked {
    fn of_host(&self) -> Ages {
        let first = Ages { first: 0, divide: Vec::new() };
        let Some(host) = &self.host else { return first };
        self.ask("host", |py, _| self.ages(&host.bind(py).call0()?)).unwrap_or(first)
    }

    fn of_moved(&self, unit: &Emptied) -> Ages {
        let same = Ages { first: unit.stream, divide: Vec::new() };
        let Some(moved) = &self.moved else { return same };
        let &Emptied { unit, stream, valid, life } = unit;
        let victim = Victim { number: unit.0, stream, valid, life };
        self.ask("moved", |py, _| self.ages(&moved.bind(py).call1((victim,))?)).unwrap_or(same)
    }
}

/// A unit that may be cleaned.
#[pyclass(frozen, module = "rewear.core.policy")]
#[derive(Clone)]
pub(crate) struct Candidate {
    /// In which call it was a candidate.
    call: u64,
    unit: Unit,
    /// Its valid pages.
    #[pyo3(get)]
    valid: u32,
    /// Pages of an erase unit.
    #[pyo3(get)]
    pages: u32,
    /// Pages that the host wrote since it was closed or last lost a valid page, 1 for the latest.
    #[pyo3(get)]
    age: u64,
    /// Times that it was erased.
    #[pyo3(get)]
    erases: u32,
    stream: Stream,
}

#[pymethods]
impl Candidate {
    /// Its number on the drive.
    #[getter]
    fn number(&self) -> u32 {
        self.unit.0
    }

    /// The stream that filled it, of a policy with streams; else 0 for host writes.
    #[getter]
    fn stream(&self) -> Option<u8> {
        match self.stream {
            Stream::Host => Some(0),
            Stream::HostCold => Some(1),
            Stream::Class(class) => Some(class + 2),
            _ => None,
        }
    }

    fn __repr__(&self) -> String {
        let Candidate { unit, valid, pages, age, erases, .. } = self;
        format!("<unit {unit}: {valid} of {pages} pages valid, age {age}, {erases} erases>", unit = unit.0)
    }
}

/// The units of a pool that may be cleaned, fewest valid pages first, among equals the one that has
/// been so longest.
#[pyclass(frozen, sequence, module = "rewear.core.policy")]
pub(crate) struct Candidates {
    units: Vec<Candidate>,
}

impl Candidates {
    fn of(units: &Units, pool: Pool, call: u64) -> Self {
        let (pages, now) = (units.slots_per_unit(), units.clock());
        let candidate = |at: valid_count_index::Candidate| Candidate {
            call,
            unit: at.unit,
            valid: at.valid,
            pages,
            age: now - at.since() + 1,
            erases: units.wear(at.unit),
            stream: units.last_stream(at.unit),
        };
        let gains = |at: &valid_count_index::Candidate| at.valid < pages;
        Self { units: units.by_valid(pool).take_while(gains).map(candidate).collect() }
    }
}

#[pymethods]
impl Candidates {
    fn __len__(&self) -> usize {
        self.units.len()
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, count) = (index.py(), self.units.len());
        if let Ok(slice) = index.cast::<PySlice>() {
            let at = slice.indices(count as isize)?;
            let chosen = (0..at.slicelength as isize).map(|step| (at.start + step * at.step) as usize);
            return Ok(PyList::new(py, chosen.map(|place| self.units[place].clone()))?.into_any());
        }
        let asked: isize =
            index.extract().map_err(|_| PyTypeError::new_err("units are numbered from 0 on"))?;
        let place = if asked < 0 { asked + count as isize } else { asked };
        let unit = usize::try_from(place).ok().and_then(|place| self.units.get(place));
        let beyond = || PyIndexError::new_err(format!("there are {count} units, and no units[{asked}]"));
        Ok(Bound::new(py, unit.ok_or_else(beyond)?.clone())?.into_any())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        PyList::new(py, self.units.iter().cloned())?.into_any().call_method0("__iter__")
    }

    /// Of the units with the same number of valid pages the one that has been so longest: the
    /// candidates of every policy that prefers the older of two that are equally full.
    #[getter]
    fn oldest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let runs = self.units.chunk_by(|one, two| one.valid == two.valid);
        PyList::new(py, runs.map(|run| run[0].clone()))
    }

    fn __repr__(&self) -> String {
        format!("<{} units>", self.units.len())
    }
}

/// A unit whose valid pages are about to be moved.
#[pyclass(frozen, module = "rewear.core.policy")]
pub(crate) struct Victim {
    /// Its number on the drive.
    #[pyo3(get)]
    number: u32,
    /// The stream that filled it.
    #[pyo3(get)]
    stream: u8,
    /// Its valid pages.
    #[pyo3(get)]
    valid: u32,
    /// Pages that the host wrote since it was opened.
    #[pyo3(get)]
    life: u64,
}

#[pymethods]
impl Victim {
    fn __repr__(&self) -> String {
        let Victim { number, stream, valid, life } = self;
        format!("<unit {number} of stream {stream}: {valid} pages valid, life {life}>")
    }
}
