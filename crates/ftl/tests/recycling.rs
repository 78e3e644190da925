//! Recycling by fingerprints and deduplication, page by page, on a tiny drive.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::timing;
use rewear_flash::FlashConfig;
use rewear_ftl::config::FtlConfig;
use rewear_ftl::host::write_buffer::{BufferConfig, WriteBufferConfig};
use rewear_ftl::host::{Content, HostWrite};
use rewear_ftl::policies::victim::VictimConfig;
use rewear_ftl::policies::victim::recycle_aware::RecycleAwareConfig;
use rewear_ftl::recycle::RecycleConfig;
use rewear_ftl::recycle::counters::RecycleCounters;
use rewear_ftl::recycle::lx::config::*;
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::wom_v::WomVConfig;
use rewear_ftl::{DriveConfig, Ftl, Lpn};

/// No time but that of programs, no fast loading unless a test asks for it.
fn plainest() -> LxConfig {
    LxConfig { hash_ns: 0, fast_load_reach: 0, ..LxConfig::default() }
}

/// One plane of 8 blocks with 8 pages, half of them exported.
fn config(recycle: LxConfig) -> DriveConfig {
    let flash = FlashConfig {
        blocks_per_plane: 8,
        pages_per_block: 8,
        ..FlashConfig::single_plane(timing(10, 100, 0))
    };
    DriveConfig {
        ftl: FtlConfig { over_provisioning: 1.0, ..FtlConfig::default() },
        recycle: RecycleConfig::Lx(recycle),
        ..DriveConfig::plain("tiny", flash)
    }
}

struct Host {
    ftl: Ftl,
    now: u64,
}

impl Host {
    fn new(config: &DriveConfig) -> Host {
        Host { ftl: Ftl::new(config).unwrap(), now: 0 }
    }

    /// Writes a content; returns how long that took.
    fn write(&mut self, lpn: u32, content: u128) -> u64 {
        let write = HostWrite { content: Content::Fingerprint(content), ..HostWrite::WHOLE };
        let end = self.ftl.write(self.now, Lpn(lpn), write).unwrap();
        let took = end - self.now;
        self.now = end;
        took
    }

    fn read(&mut self, lpn: u32) {
        self.now = self.ftl.read(self.now, Lpn(lpn)).unwrap();
    }

    /// New contents in random order, until more than so many erases.
    fn wear_down(&mut self, pages: std::ops::Range<u32>, erases: u64) {
        let (mut state, mut content) = (1u32, 1000);
        while self.ftl.counters().erases <= erases {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            self.write(pages.start + (state >> 16) % pages.len() as u32, content);
            content += 1;
        }
    }

    fn counters(&self) -> RecycleCounters {
        self.ftl.audit().unwrap();
        self.ftl.recycle_counters().unwrap()
    }

    fn hits(&self) -> u64 {
        self.counters().hits
    }

    /// Whether a write of this content is answered without a program.
    fn recycles(&mut self, lpn: u32, content: u128) -> bool {
        let programmed = self.ftl.counters().programmed.host;
        self.write(lpn, content);
        self.ftl.counters().programmed.host == programmed
    }
}

#[test]
fn an_old_content_comes_back_without_a_program() {
    let mut host = Host::new(&config(plainest()));
    assert_eq!([host.write(0, 1), host.write(0, 2), host.write(0, 3)], [100, 100, 100]);
    assert_eq!(host.write(9, 1), 0);
    // Only one page held the content, and it is taken.
    assert!(!host.recycles(10, 1));
    // The page that page 9 shares with nobody comes back for another.
    host.ftl.trim(Lpn(9)).unwrap();
    assert!(host.recycles(11, 1));
    // 3, the present content of page 0, is valid and no candidate.
    assert!(!host.recycles(12, 3));
    assert_eq!((host.hits(), host.ftl.counters().events.writes_recycled), (2, 2));
}

#[test]
fn a_write_may_be_answered_by_the_page_that_it_replaces_or_not() {
    // Without its own page the second write leaves a copy behind, and that one answers the third.
    for (own_page, programs) in [(true, 1), (false, 2)] {
        let mut host = Host::new(&config(LxConfig { own_page, ..plainest() }));
        (0..3).for_each(|_| _ = host.write(0, 7));
        assert_eq!(host.ftl.counters().programmed.host, programs, "{own_page}");
        assert_eq!(host.counters().hits_in_place, if own_page { 2 } else { 0 });
    }
}

#[test]
fn time_is_spent_on_hashing_and_scanning() {
    let recycle = LxConfig { hash_ns: 32, comparison_ns: 3, ..plainest() };
    let mut host = Host::new(&config(recycle));
    assert_eq!(host.write(0, 1), 132);
    assert_eq!(host.write(0, 2), 132);
    // One entry was scanned in vain: content 1.
    assert_eq!(host.write(0, 3), 32 + 3 + 100);
    // Content 2 entered last and is compared first.
    assert_eq!(host.write(1, 2), 32 + 3);
}

#[test]
fn a_full_store_keeps_the_newest_or_the_oldest_of_equals() {
    for (ties, kept) in [(Ties::NewestFirst, [false, true, true]), (Ties::OldestFirst, [true, true, false])] {
        let mut host = Host::new(&config(LxConfig { entries: 2, ties, ..plainest() }));
        for content in 1..=3 {
            host.write(0, content);
        }
        host.ftl.trim(Lpn(0)).unwrap();
        assert_eq!(host.counters().entries, 2);
        // Every look-up is a write that leaves nothing invalid behind.
        let found = [1, 2, 3].map(|content| host.recycles(10 + content as u32, content));
        assert_eq!(found, kept, "{ties:?}");
        let counters = host.counters();
        assert_eq!(counters.evictions + counters.rejections, 1);
    }
}

#[test]
fn popular_pages_outlive_others_and_sink_with_every_newer_version() {
    let mut host = Host::new(&config(LxConfig { entries: 1, ..plainest() }));
    host.write(0, 1);
    (0..3).for_each(|_| host.read(0));
    host.write(0, 2);
    host.write(1, 3);
    host.write(1, 4);
    // Content 3 was never read and does not drive out content 1.
    assert_eq!(host.counters().rejections, 1);
    host.read(1);
    (0..16).for_each(|_| host.read(2));
    // Two more versions of page 0 bring 1.1^3 - 1 = 0.331, times 0.85^2, to 0.239; content 4 has
    // (1.1 - 1).
    host.write(0, 5);
    host.write(0, 6);
    host.write(1, 7);
    assert!(!host.recycles(20, 4) && host.recycles(21, 1));
    // Of equation 4: 0.331 x 0.85^7 = 0.106 is still more than 0.1, 0.331 x 0.85^8 = 0.090 is not.
    for (newer, stays) in [(8, true), (9, false)] {
        let mut host = Host::new(&config(LxConfig { entries: 1, ..plainest() }));
        host.write(0, 1);
        (0..3).for_each(|_| host.read(0));
        (0..newer).for_each(|version| _ = host.write(0, 100 + version));
        host.write(1, 4);
        host.read(1);
        host.write(1, 5);
        assert_eq!(host.recycles(20, 1), stays, "{newer}");
    }
}

#[test]
fn comparisons_are_ranks() {
    let mut host = Host::new(&config(LxConfig { order: Order::Lru, ..plainest() }));
    (1..=6).for_each(|content| _ = host.write(0, content));
    // In the store, the newest first: 5 4 3 2 1.
    host.write(10, 2);
    assert_eq!(host.counters().comparisons, 4);
    host.write(11, 5);
    assert_eq!(host.counters().comparisons, 5);
    host.write(12, 1);
    assert_eq!(host.counters().comparisons, 8);
}

#[test]
fn neighbours_of_a_recycled_page_are_loaded_to_the_head() {
    for (reach, expected) in [(0, false), (1, true)] {
        let recycle = LxConfig { entries: 3, fast_load_reach: reach, ..plainest() };
        let mut host = Host::new(&config(recycle));
        for lpn in 4..7 {
            host.write(lpn, u128::from(lpn));
            host.write(lpn, 100 + u128::from(lpn));
        }
        // Pages 4 to 6 left 4, 5, 6 behind, none of them ever read. 5 returns, and five others push
        // in.
        assert!(host.recycles(20, 5));
        for content in 200..206 {
            host.write(30, content);
        }
        assert_eq!(host.counters().fast_loads, if expected { 2 } else { 0 });
        assert_eq!(host.recycles(21, 4), expected);
        assert_eq!(host.recycles(22, 6), expected);
    }
}

#[test]
fn contents_count_accesses_of_all_their_pages() {
    for (popularity, kept) in [(Popularity::PageReads, false), (Popularity::ValueAccesses, true)] {
        let mut host = Host::new(&config(LxConfig { entries: 1, popularity, ..plainest() }));
        // Content 1 is written to two pages, and the one left behind was not read.
        host.write(0, 1);
        host.write(1, 1);
        host.write(0, 2);
        host.write(0, 3);
        assert_eq!(host.recycles(9, 1), kept);
    }
}

#[test]
fn an_entry_for_each_content_points_to_the_latest_page() {
    for (entry, found) in [(EntryPer::Page, 2), (EntryPer::Fingerprint, 1)] {
        let mut host = Host::new(&config(LxConfig { entry, ..plainest() }));
        (0..2).for_each(|lpn| _ = host.write(lpn, 1));
        (0..2).for_each(|lpn| _ = host.write(lpn, 2 + u128::from(lpn)));
        assert_eq!(host.counters().entries, found);
        (10..13).for_each(|lpn| _ = host.write(lpn, 1));
        assert_eq!(host.hits(), found);
    }
}

#[test]
fn what_cleaning_destroyed_is_never_offered() {
    for reuse in [ReuseConfig::Nothing {}, ReuseConfig::WomV(WomVConfig::baseline(1))] {
        let base = config(plainest());
        let flash = FlashConfig { bits_per_cell: 3, ..base.flash.clone() };
        let mut host = Host::new(&DriveConfig { reuse: reuse.clone(), flash, ..base });
        host.write(0, 1);
        // New contents, until the first unit was erased, or given back to be written over.
        let mut content = 100;
        while host.ftl.counters().garbage_collections == 0 {
            host.write(0, content);
            content += 1;
        }
        assert!(!host.recycles(1, 1), "{reuse:?}");
        assert!(host.counters().lost_to_cleaning > 0);
    }
}

#[test]
fn a_revived_page_survives_cleaning_as_its_new_owner() {
    let mut host = Host::new(&config(plainest()));
    host.write(0, 1);
    host.write(0, 2);
    assert!(host.recycles(5, 1));
    host.wear_down(6..32, 20);
    assert!(host.ftl.counters().pages_moved > 0);
    // Its content is known where it lies now.
    host.write(5, 3);
    assert!(host.recycles(6, 1));
}

/// Two closed units: one wholly invalid, its contents read often, the other with an invalid page
/// less, never read.
fn victim_content_lives(victim: VictimConfig) -> bool {
    let base = config(LxConfig { entries: 0, ..plainest() });
    let mut host = Host::new(&DriveConfig { ftl: FtlConfig { victim, ..base.ftl.clone() }, ..base });
    // Unit 0: pages 0 to 7, contents 1 to 8; unit 1: pages 8 to 15.
    (0..16).for_each(|lpn| _ = host.write(lpn, 1 + u128::from(lpn)));
    (0..8).for_each(|lpn| (0..15).for_each(|_| host.read(lpn)));
    (0..15).for_each(|lpn| _ = host.write(lpn, 50 + u128::from(lpn)));
    host.wear_down(16..32, 0);
    host.recycles(31, 1)
}

#[test]
fn recycle_aware_cleaning_spares_promising_pages() {
    let aware = |most_discount| VictimConfig::RecycleAware(RecycleAwareConfig { most_discount });
    assert!(!victim_content_lives(VictimConfig::Greedy {}));
    assert!(victim_content_lives(aware(1.0)));
    assert!(!victim_content_lives(aware(0.0)));
}

#[test]
fn a_drive_whose_invalid_pages_are_all_promising_still_cleans() {
    let base = config(LxConfig { entries: 0, fast_load_reach: 4, ..plainest() });
    let victim = VictimConfig::RecycleAware(RecycleAwareConfig::default());
    let mut host = Host::new(&DriveConfig { ftl: FtlConfig { victim, ..base.ftl.clone() }, ..base });
    for round in 0..60u128 {
        for lpn in 0..24 {
            host.write(lpn, round * 100 + u128::from(lpn));
            (0..15).for_each(|_| host.read(lpn));
        }
    }
    assert!(host.ftl.counters().erases > 100);
    host.ftl.audit().unwrap();
}

#[test]
fn equal_valid_pages_share_a_place_until_their_last_owner_leaves() {
    let mut host = Host::new(&config(LxConfig { answers: Answers::Valid, ..plainest() }));
    host.write(0, 1);
    assert!(host.recycles(1, 1) && host.recycles(2, 1) && host.recycles(1, 1));
    assert_eq!(host.ftl.counters().events.writes_deduplicated, 3);
    host.write(0, 2);
    host.ftl.trim(Lpn(1)).unwrap();
    assert!(host.recycles(3, 1), "page 2 still holds it");
    host.ftl.audit().unwrap();
    // Cleaning moves the shared page with all its owners.
    host.wear_down(6..32, 20);
    assert!(host.ftl.counters().pages_moved > 0);
    assert!(host.recycles(4, 1));
    (2..5).for_each(|lpn| host.ftl.trim(Lpn(lpn)).unwrap());
    // It is invalid now, and this drive revives no invalid pages.
    assert!(!host.recycles(5, 1));
    host.ftl.audit().unwrap();
}

#[test]
fn deduplication_and_recycling_work_together() {
    let mut host = Host::new(&config(LxConfig { answers: Answers::All, ..plainest() }));
    host.write(0, 1);
    assert!(host.recycles(1, 1));
    host.write(0, 2);
    host.write(1, 3);
    assert!(host.recycles(2, 1) && host.recycles(3, 1));
    let counters = host.ftl.counters();
    assert_eq!((counters.events.writes_recycled, counters.events.writes_deduplicated), (1, 2));
}

#[test]
fn a_write_buffer_hands_contents_on() {
    let base = config(plainest());
    let write_buffer =
        WriteBufferConfig::Fifo(BufferConfig { pages: 4, destage_at: 0.0, survives_power_loss: false });
    let mut host = Host::new(&DriveConfig { ftl: FtlConfig { write_buffer, ..base.ftl.clone() }, ..base });
    for content in [1, 2, 1, 2, 1] {
        host.write(0, content);
        host.now = host.ftl.flush(host.now).unwrap();
    }
    assert_eq!(host.ftl.counters().programmed.host, 2);
}

#[test]
fn parameters_out_of_range_are_refused_with_a_remedy() {
    for (key, recycle) in
        [("growth", LxConfig { growth: 0.0, ..plainest() }), ("decay", LxConfig { decay: 1.0, ..plainest() })]
    {
        let error = Ftl::new(&config(recycle)).unwrap_err().to_string();
        assert!(error.contains(&format!("recycle.{key}")), "{error}");
    }
}
