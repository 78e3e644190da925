//! Recorded traces of others: recognised, and counted as an independent count found them.

#![allow(clippy::unwrap_used)] // a test may stop where it stands

use crate::common::recorded_traces;
use rewear_trace::{OpenOptions, info, open};

/// A recorded trace and its counts: pages of 4 KiB written, all and distinct.
struct Recorded {
    file: &'static str,
    format: &'static str,
    reads: u64,
    writes: u64,
    trims: u64,
    pages: u64,
    distinct: u64,
    shift_bytes: u64,
    unit: &'static str,
}

const fn row(file: &'static str, format: &'static str, counts: [u64; 5], unit: &'static str) -> Recorded {
    let [reads, writes, trims, pages, distinct] = counts;
    Recorded { file, format, reads, writes, trims, pages, distinct, shift_bytes: 0, unit }
}

const fn shifted(recorded: Recorded) -> Recorded {
    Recorded { shift_bytes: 512, ..recorded }
}

#[rustfmt::skip]
static RECORDED: [Recorded; 16] = [
    row("blkreplay_linux-webserver-2.load.xz", "blkreplay", [148_674, 119_989, 0, 290_474, 79_386], "s"),
    shifted(row("cloudphysics_libCacheSim.vscsi.xz", "vscsi", [46_974, 66_898, 0, 608_352, 206_292], "us")),
    row("rocksdb_ssdTrace_writes_only.mqsim.xz", "ssdsim", [0, 87_487, 0, 1_780_188, 483_465], "us (guessed"),
    row("disksim_ssd-iozone-aligned2-100K.trace.xz", "disksim", [0, 100_000, 0, 8_997_978, 271_320], "ms"),
    shifted(row("diskmon_win_systemdisk1.ascii.xz", "disksim", [3_332, 23_996, 0, 245_501, 144_467], "ms")),
    shifted(row("diskmon_win_mayun4.txt.xz", "diskmon", [6_424, 11_004, 0, 71_551, 52_179], "s")),
    row("mspsDTRS_5min_us.ascii.xz", "ssdsim", [113_123, 13_920, 0, 185_789, 184_051], "us (guessed"),
    row("fiu_mail_cheetah_first9998.blkparse.xz", "fiu", [8_896, 1_102, 0, 1_102, 894], "ns"),
    row("umass_Financial1_first10000.ssdsim.ascii.xz", "ssdsim", [4_077, 5_923, 0, 12_406, 3_734], "ns (guessed"),
    row("msr_hm_0_first1000.csv.xz", "msr", [508, 492, 0, 936, 475], "ticks"),
    row("msr_hm_1_revised_first5000.ssdsim.txt.xz", "ssdsim", [1_096, 3_904, 0, 24_377, 3_667], "us (guessed"),
    row("wiscsee_sqlitewal_ext4_mkfs.txt.xz", "wiscsee", [49, 19_046, 905, 43_995, 16_545], "s"),
    row("tencent_cbs_sample50k.csv.xz", "tencent", [24_521, 25_479, 0, 216_835, 209_875], "s"),
    row("systor17_traces_first999.csv.xz", "systor17", [826, 173, 0, 835, 746], "s"),
    row("hadoop_f2fs.blkparse.xz", "blkparse", [4_722, 1_005, 0, 107_385, 101_756], "s"),
    row("mqsim_tpcc-small.trace.xz", "ssdsim", [4_381, 2_618, 0, 7_995, 7_879], "ns (guessed"),
];

#[test]
fn every_recorded_trace_is_recognised_with_its_counts() {
    let Some(folder) = recorded_traces() else { return };
    for recorded in &RECORDED {
        let options = OpenOptions { shift_bytes: recorded.shift_bytes, ..OpenOptions::default() };
        let mut source = open(&folder.join(recorded.file), &options).unwrap();
        let info = info(&mut *source).unwrap();
        let name = recorded.file;
        assert_eq!(info.description.format, recorded.format, "{name}");
        assert_eq!(
            (info.read.requests, info.write.requests, info.trim.requests),
            (recorded.reads, recorded.writes, recorded.trims),
            "{name}"
        );
        assert_eq!(
            (info.write.pages, info.write.distinct_pages),
            (recorded.pages, recorded.distinct),
            "{name}"
        );
        assert!(
            info.description.time_unit.starts_with(recorded.unit),
            "{name}: {}",
            info.description.time_unit
        );
        assert_eq!(info.omissions.bad_lines, 0, "{name}");
    }
}

#[test]
fn what_is_special_about_some_recorded_traces() {
    let Some(folder) = recorded_traces() else { return };
    let look = |file: &str| info(&mut *open(&folder.join(file), &OpenOptions::default()).unwrap()).unwrap();

    let mail = look("fiu_mail_cheetah_first9998.blkparse.xz");
    assert_eq!(mail.requests_with_content, mail.requests);
    let tencent = look("tencent_cbs_sample50k.csv.xz");
    assert_eq!(tencent.volumes.len(), 2_038);
    assert!(tencent.omissions.before_first > 0);
    let desktop = look("systor17_traces_first999.csv.xz");
    assert!(desktop.backwards_times > 0);
    let hadoop = look("hadoop_f2fs.blkparse.xz");
    assert!(hadoop.omissions.ignored_lines > 10_000, "insertions, completions and summaries");
    assert!(hadoop.description.note.contains("D (issued"));
    let iozone = look("disksim_ssd-iozone-aligned2-100K.trace.xz");
    assert_eq!(iozone.unaligned_requests, 0);
}

#[test]
fn the_digests_of_the_mail_server_repeat() {
    let Some(folder) = recorded_traces() else { return };
    let mut source =
        open(&folder.join("fiu_mail_cheetah_first9998.blkparse.xz"), &OpenOptions::default()).unwrap();
    let mut batch = rewear_trace::Batch::default();
    let mut written = std::collections::BTreeSet::new();
    while source.fill(&mut batch).unwrap() > 0 {
        let writes = batch.requests.iter().filter(|request| request.operation.is_write());
        written.extend(writes.flat_map(|request| batch.content_of(request).unwrap()).copied());
    }
    assert_eq!(written.len(), 798);
}
