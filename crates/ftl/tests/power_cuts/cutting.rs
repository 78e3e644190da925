//! Cuts the operations of a workload, mounts what is left, and compares it with what may be there.

use rewear_flash::medium::{PowerCut, Stored, Tear};
use rewear_ftl::recovery::MountReport;
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::{DriveConfig, Ftl};

use super::watched::{Step, Watched, workload};

/// What a test of a drive did.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Tally {
    pub(crate) operations: u64,
    pub(crate) cuts: u64,
    pub(crate) cuts_of_mounts: u64,
    pub(crate) torn_pages: u64,
    pub(crate) newest_torn: u64,
}

/// Mounts the cells while power fails again after each of some numbers of operations, then for
/// good; checks what is there.
fn mount_in_spite_of_everything(
    config: &DriveConfig,
    mut cells: Stored,
    cut: u64,
    tally: &mut Tally,
) -> (Ftl, MountReport) {
    cells.set_power(None);
    // The mount itself is cut at one operation, and the next one at another.
    for attempt in 0..(cut % 3) {
        let tear = Tear::ALL[((cut + attempt) % 4) as usize];
        cells.set_power(Some(PowerCut::new((cut / 3 + attempt) % 5, tear, cut)));
        let mut drive = Ftl::new(config).unwrap();
        match drive.attach(cells) {
            Err(error) => assert!(error.to_string().contains("power"), "{error}"),
            Ok(_) => tally.cuts_of_mounts -= 1,
        }
        tally.cuts_of_mounts += 1;
        cells = drive.into_cells().unwrap();
        cells.set_power(None);
    }
    Ftl::mount(config, cells).unwrap()
}

/// Cuts a step of the workload at one of its operations.
fn cut_at(
    config: &DriveConfig,
    before: &Watched,
    step: Step,
    (operation, tear): (u64, Tear),
    tally: &mut Tally,
) {
    let mut watched = before.clone();
    let seed = tally.cuts;
    watched.ftl.cells_mut().unwrap().set_power(Some(PowerCut::new(operation, tear, seed)));
    let done = watched.take(step);
    let is_off = watched.ftl.cells_mut().unwrap().power().unwrap().is_off();
    assert!(is_off, "{step:?} has no operation {operation}, or failed before: {done:?}");
    tally.cuts += 1;
    let Watched { ftl, shadow, .. } = watched;
    let mut cells = ftl.into_cells().unwrap();
    if tally.cuts.is_multiple_of(2) {
        // A chip alone does not tell what was under way.
        cells.forget_progress();
    }
    let (ftl, report) = mount_in_spite_of_everything(config, cells, tally.cuts, tally);
    tally.torn_pages += report.torn_pages;
    tally.newest_torn += u64::from(report.newest_was_torn);
    let context = format!("{} cut at operation {operation} ({tear:?}) of {step:?}", config.name);
    let mut watched = Watched { ftl, shadow, now: 0 };
    watched.settle(&context);
    // The drive works on, and is mounted once more.
    for step in workload(seed, 12) {
        watched.take(step).unwrap_or_else(|error| panic!("{context}: then {step:?}: {error}"));
    }
    watched.check(&context);
    let cells = watched.ftl.into_cells().unwrap();
    let (ftl, _) = Ftl::mount(config, cells).unwrap();
    let mut watched = Watched { ftl, shadow: watched.shadow, now: 0 };
    watched.settle(&context);
}

/// Cuts every `sampled`-th operation of a workload, in every way if that is every one.
pub(crate) fn cut_everywhere(config: &DriveConfig, steps: &[Step], sampled: u64) -> Tally {
    let mut watched = Watched::filled(config);
    let mut tally = Tally::default();
    let in_place = matches!(config.reuse, ReuseConfig::Seal(_));
    for &step in steps {
        let operations = watched.operations_of(step);
        for operation in 0..operations {
            let number = tally.operations + operation;
            let ways: &[Tear] = match number % sampled {
                // A program in place is finished by the charge that the drive holds.
                0 if in_place && matches!(step, Step::Overwrite(..)) => &[Tear::Clean],
                0 if sampled == 1 => &Tear::ALL,
                0 => &[Tear::ALL[(number / sampled % 4) as usize]],
                _ => &[],
            };
            for &tear in ways {
                cut_at(config, &watched, step, (operation, tear), &mut tally);
            }
        }
        tally.operations += operations;
        watched.take(step).unwrap_or_else(|error| panic!("{}: {step:?}: {error}", config.name));
    }
    watched.check("uncut");
    let counters = *watched.ftl.counters();
    let cleaned = counters.reopens + counters.erases - counters.log_erases;
    assert!(tally.cuts > 0 && cleaned > 0, "{}: nothing was cleaned", config.name);
    if matches!(config.reuse, ReuseConfig::SecondWrite(_)) {
        assert!(counters.second_writes > 0, "{}: no second write", config.name);
    }
    tally
}
