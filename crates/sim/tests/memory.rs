//! What a drive is said to take of memory, against what it takes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rewear_ftl::{Ftl, Shape};
use rewear_sim::Drive;

/// The system's allocator, which counts what is taken.
struct Counting;

static TAKEN: AtomicU64 = AtomicU64::new(0);

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        TAKEN.fetch_add(layout.size() as u64, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        TAKEN.fetch_add(layout.size() as u64, Ordering::Relaxed);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size() as u64, Ordering::Relaxed);
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Schemes that presets do not show, as changes to a preset.
const VARIANTS: [(&str, &[(&str, &str)]); 5] = [
    ("toshiba-slc", &[("reuse.scheme", "second-write"), ("reuse.parallel", "false")]),
    ("openssd", &[("flash.endurance_cycles", "100")]),
    ("qlc", &[("ftl.write_buffer.scheme", "lru"), ("ftl.write_buffer.pages", "65536")]),
    ("qlc", &[("ftl.erase_unit", "drive")]),
    ("qlc", &[("ftl.victim.scheme", "cost-benefit")]),
];

#[test]
fn a_model_takes_what_its_drive_says_and_hardly_less() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../presets");
    let mut texts: Vec<_> = std::fs::read_dir(folder)
        .expect("the presets")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("a text"))
        })
        .collect();
    texts.sort();
    let plain = texts.iter().map(|(name, _)| (name.as_str(), &[][..]));
    for (name, changes) in plain.chain(VARIANTS) {
        let text = &texts.iter().find(|(each, _)| each == name).expect("a preset").1;
        let changes: Vec<_> =
            changes.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        let drive = Drive::from_toml(text, name, &changes).expect("a drive");
        let config = drive.configuration();
        let said = Shape::new(config).expect("a shape").model_memory_bytes();
        let before = TAKEN.load(Ordering::Relaxed);
        let ftl = Ftl::new(config).expect("a drive");
        let taken = TAKEN.load(Ordering::Relaxed) - before;
        drop(ftl);
        assert!(taken <= said, "{name} {changes:?} takes {taken} bytes and says {said}");
        // A fingerprint store takes the memory of its tables as they fill.
        let least = if config.recycle.wants_content() { 0.7 } else { 0.9 };
        assert!(
            taken as f64 >= least * said as f64,
            "{name} {changes:?} takes {taken} bytes and says {said}"
        );
    }
}
