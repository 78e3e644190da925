//! Very many cuts: workloads by their seeds, each on every drive, on all processors, until there
//! were as many cuts as asked for.
//!
//! From the environment, which `make torture` sets: `REWEAR_CUTS` (how many), `REWEAR_SEED` (the
//! first seed), `REWEAR_JOBS` (threads), `REWEAR_DRIVE` (only drives of whose name this is a part),
//! `REWEAR_DONE` (a file of what was done, from which a run goes on).

use std::collections::BTreeMap;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rewear_ftl::DriveConfig;

use super::cutting::{Tally, cut_everywhere};
use super::drives;
use super::watched::workload;

/// Steps of a workload.
const STEPS: usize = 250;
/// After so many failures there is nothing more to learn.
const MOST_FAILURES: usize = 20;
/// How often it is said how far it has come.
const PERIOD: Duration = Duration::from_secs(20);

struct Torture {
    drives: Vec<DriveConfig>,
    wanted_cuts: u64,
    /// Number of the next workload and drive, counted on through all seeds.
    next: u64,
    first_seed: u64,
    /// By seed and drive, from an earlier run.
    done_before: BTreeMap<(u64, String), (u64, u64)>,
    done: Option<std::fs::File>,
    /// Workloads, cuts, cuts of mounts by drive.
    by_drive: BTreeMap<String, [u64; 3]>,
    failures: Vec<String>,
    began: Instant,
    cut_now: u64,
    told: Instant,
}

fn from_environment<T: std::str::FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}

impl Torture {
    fn new() -> Torture {
        let only: String = from_environment("REWEAR_DRIVE").unwrap_or_default();
        let drives: Vec<DriveConfig> =
            drives::all().into_iter().filter(|drive| drive.name.contains(&only)).collect();
        assert!(
            !drives.is_empty(),
            "no drive is named {only}; there are {:?}",
            drives::all().iter().map(|drive| drive.name.clone()).collect::<Vec<_>>()
        );
        let path: Option<String> = from_environment("REWEAR_DONE");
        let text = path.as_ref().and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        let line = |line: &str| {
            let mut fields = line.split('\t');
            let mut number = || fields.next()?.parse().ok();
            let (seed, cuts, of_mounts) = (number()?, number()?, number()?);
            Some(((seed, fields.next()?.to_owned()), (cuts, of_mounts)))
        };
        let open = |path| std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        Torture {
            drives,
            wanted_cuts: from_environment("REWEAR_CUTS").unwrap_or(1_000_000),
            next: 0,
            first_seed: from_environment("REWEAR_SEED").unwrap_or(10),
            done_before: text.lines().filter_map(line).collect(),
            done: path.map(open),
            by_drive: BTreeMap::new(),
            failures: Vec::new(),
            began: Instant::now(),
            cut_now: 0,
            told: Instant::now(),
        }
    }

    fn cuts(&self) -> u64 {
        self.by_drive.values().map(|counts| counts[1]).sum()
    }

    /// The next workload's seed and drive, unless there were enough cuts.
    fn take(&mut self) -> Option<(u64, DriveConfig)> {
        while self.cuts() < self.wanted_cuts && self.failures.len() < MOST_FAILURES {
            let drives = self.drives.len() as u64;
            let (seed, drive) =
                (self.first_seed + self.next / drives, &self.drives[(self.next % drives) as usize]);
            self.next += 1;
            match self.done_before.get(&(seed, drive.name.clone())) {
                Some(&(cuts, of_mounts)) => self.count(&drive.name.clone(), cuts, of_mounts),
                None => return Some((seed, drive.clone())),
            }
        }
        None
    }

    fn count(&mut self, drive: &str, cuts: u64, of_mounts: u64) {
        let counts = self.by_drive.entry(drive.to_owned()).or_default();
        *counts = [counts[0] + 1, counts[1] + cuts, counts[2] + of_mounts];
    }

    fn ended(&mut self, seed: u64, drive: &str, tally: Result<Tally, String>) {
        match tally {
            Ok(tally) => {
                self.count(drive, tally.cuts, tally.cuts_of_mounts);
                self.cut_now += tally.cuts;
                if let Some(done) = &mut self.done {
                    writeln!(done, "{seed}\t{}\t{}\t{drive}", tally.cuts, tally.cuts_of_mounts).unwrap();
                }
            }
            Err(problem) => {
                let failure = format!("{problem}\n  repeat: make torture CUTS=1 SEED={seed} DRIVE='{drive}'");
                println!("LOST: {failure}");
                self.failures.push(failure);
            }
        }
        if self.told.elapsed() > PERIOD {
            self.told = Instant::now();
            let (cuts, seconds) = (self.cuts(), self.began.elapsed().as_secs_f64());
            let rate = self.cut_now as f64 / seconds;
            let left = self.wanted_cuts.saturating_sub(cuts) as f64 / rate.max(1.0) / 60.0;
            println!(
                "{cuts} of {} cuts, seed {seed}, {rate:.0} a second, {left:.0} min left, {} lost",
                self.wanted_cuts,
                self.failures.len()
            );
        }
    }
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text =
        panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a text").to_owned()
}

pub(crate) fn run() {
    let torture = Mutex::new(Torture::new());
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..from_environment("REWEAR_JOBS").unwrap_or(processors) {
            scope.spawn(|| {
                loop {
                    let Some((seed, drive)) = torture.lock().unwrap().take() else { return };
                    let cut = || cut_everywhere(&drive, &workload(seed, STEPS), 1);
                    let tally = catch_unwind(AssertUnwindSafe(cut)).map_err(|panic| message(&*panic));
                    torture.lock().unwrap().ended(seed, &drive.name, tally);
                }
            });
        }
    });
    let torture = torture.into_inner().unwrap();
    println!("| drive | workloads | cuts | mounts cut again |\n|---|--:|--:|--:|");
    for (drive, [workloads, cuts, of_mounts]) in &torture.by_drive {
        println!("| {drive} | {workloads} | {cuts} | {of_mounts} |");
    }
    let all =
        torture.by_drive.values().fold([0; 3], |all, one| [0, 1, 2].map(|index| all[index] + one[index]));
    println!("| **all** | {} | {} | {} |", all[0], all[1], all[2]);
    assert!(
        torture.failures.is_empty(),
        "{} workloads lost data:\n{}",
        torture.failures.len(),
        torture.failures.join("\n")
    );
}
