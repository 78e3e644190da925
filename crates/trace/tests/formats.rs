//! A small example of every format, recognised and read.

#![allow(clippy::unwrap_used)] // a test may stop where it stands

use crate::common::{Dice, mutate, read};
use rewear_trace::{Event, OpenOptions, Operation, Request, TimeUnit, formats, open};

use Operation::{Flush, Read, Trim, Write};

/// (time in ns, operation, offset, length)
type Row = (u64, Operation, u64, u64);

fn rows(requests: &[Request]) -> Vec<Row> {
    requests.iter().map(|one| (one.at_ns, one.operation, one.offset_bytes, one.length_bytes)).collect()
}

/// `text` is recognised as `format` and says `expected`; so it does when compressed, and when the
/// format is named.
fn check(format: &str, text: &[u8], expected: &[Row]) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let mut source = open(file.path(), &OpenOptions::default()).unwrap();
    assert_eq!(source.description().format, format);
    assert_eq!(rows(&crate::common::drain(&mut *source).unwrap()), expected, "{format}");
    source.rewind().unwrap();
    assert_eq!(rows(&crate::common::drain(&mut *source).unwrap()), expected, "{format}, again");
    let named = OpenOptions { format: Some(format.to_owned()), ..OpenOptions::default() };
    assert_eq!(rows(&read(text, &named).unwrap()), expected, "{format}, named");
    assert_eq!(rows(&read(&zstd::encode_all(text, 3).unwrap(), &OpenOptions::default()).unwrap()), expected);
    survive(&named, text);
}

/// Damaged copies of an example are read or refused with a reason, never a panic.
fn survive(named: &OpenOptions, text: &[u8]) {
    let mut dice = Dice(1);
    for index in 0..200 {
        let options = OpenOptions { skip_bad_lines: index % 2 == 0, ..named.clone() };
        if let Err(error) = read(&mutate(text, &mut dice), &options) {
            assert!(!error.problem.is_empty() && !error.remedy.is_empty(), "{error:?}");
        }
    }
}

#[test]
fn msr_cambridge() {
    let text =
        b"128166372003061629,web,1,Read,1024,4096,559\r\n128166372003061729,web,1,Write,8192,512,100\r\n";
    check("msr", text, &[(0, Read, 1024, 4096), (10_000, Write, 8192, 512)]);
}

#[test]
fn disksim() {
    check("disksim", b"0.5 0 8 16 0\n1.25 0 0 1 1\n", &[(0, Write, 4096, 8192), (750_000, Read, 0, 512)]);
    check("disksim", b"3 0 8 16 40\n4 0 0 1 41\n", &[(0, Write, 4096, 8192), (1_000_000, Read, 0, 512)]);
}

#[test]
fn ssdsim_and_mqsim_with_a_unit_of_time_to_choose() {
    let text = b"10\t0\t8\t16\t0\n30\t0\t0\t1\t1\n";
    check("ssdsim", text, &[(0, Write, 4096, 8192), (20, Read, 0, 512)]);
    let options = OpenOptions { time_unit: Some(TimeUnit::Milliseconds), ..OpenOptions::default() };
    assert_eq!(read(text, &options).unwrap()[1].at_ns, 20_000_000);
    let options = OpenOptions { format: Some("mqsim".into()), ..OpenOptions::default() };
    assert_eq!(read(text, &options).unwrap().len(), 2);
}

#[test]
fn a_unit_of_time_is_guessed_by_the_rate() {
    let trace = |gap: u64| (0..100).map(|index| format!("{} 0 8 8 0\n", index * gap)).collect::<String>();
    let last = |gap| read(trace(gap).as_bytes(), &OpenOptions::default()).unwrap()[99].at_ns;
    assert_eq!(last(20_000), 99 * 20_000, "50,000 requests a second as ns");
    assert_eq!(last(2_000), 99 * 2_000_000, "as ns it would be 500,000 requests a second");
}

#[test]
fn blkreplay() {
    let text = b"Some prose; about the file\n\nstart ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n   0.000000000 ;  8 ; 16 ; R ; 0.0 ; 0.0\n   0.000023289 ; 0 ; 1 ; W ; 0.0 ; 0.0\n 0.5 ; 9 ; 8 ; RA ; 0.0 ; 0.0\n";
    check("blkreplay", text, &[(0, Read, 4096, 8192), (23_289, Write, 0, 512)]);
}

#[test]
fn spc() {
    check(
        "spc",
        b"0,8,4096,R,0.026214\n1,16,512,w,0.026314\n",
        &[(0, Read, 4096, 4096), (100_000, Write, 8192, 512)],
    );
}

#[test]
fn alibaba() {
    let text = b"419,W,4096,8192,1577808144000046\n725,R,0,512,1577808144000146\n";
    check("alibaba", text, &[(0, Write, 4096, 8192), (100_000, Read, 0, 512)]);
}

#[test]
fn tencent() {
    check(
        "tencent",
        b"1538323200,8,16,1,1058\n1538323201,0,1,0,1063\n",
        &[(0, Write, 4096, 8192), (1_000_000_000, Read, 0, 512)],
    );
}

#[test]
fn systor_17() {
    let text = b"Timestamp,Response,IOType,LUN,Offset,Size\n1456095145.133076000,0.000806000,R,0,4096,8192\n1456095145.133077000,,W,2,0,512\n";
    check("systor17", text, &[(0, Read, 4096, 8192), (1_000, Write, 0, 512)]);
}

#[test]
fn fiu() {
    let text = b"100 42 nfsd 8 8 W 6 0 000102030405060708090a0b0c0d0e0f\n300 42 a daemon 0 1 R 6 0 ffffffffffffffffffffffffffffffff\n";
    check("fiu", text, &[(0, Write, 4096, 4096), (200, Read, 0, 512)]);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let mut batch = rewear_trace::Batch::default();
    open(file.path(), &OpenOptions::default()).unwrap().fill(&mut batch).unwrap();
    assert_eq!(batch.content_of(&batch.requests[0]), Some(&[0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f][..]));
    assert_eq!(batch.content_of(&batch.requests[1]), Some(&[u128::MAX][..]));
}

/// In the traces of `homes` every sector has an MD5 of its own.
#[test]
fn fiu_homes() {
    let (one, other) = ("000102030405060708090a0b0c0d0e0f", "ffffffffffffffffffffffffffffffff");
    let line = |sector: u32, digests: &str| {
        let sectors = digests.len() / 32;
        format!("100 42 nfsd {sector} {sectors} W 6 0 {digests}\n")
    };
    let page = one.repeat(8);
    let swapped = [other, &one.repeat(7)].concat();
    let text = [line(8, &page), line(16, &page), line(24, &swapped), line(32, &one.repeat(16))].concat();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &text).unwrap();
    let mut batch = rewear_trace::Batch::default();
    open(file.path(), &OpenOptions::default()).unwrap().fill(&mut batch).unwrap();
    let contents: Vec<_> = batch.requests.iter().map(|request| batch.content_of(request)).collect();
    assert!(contents[0].is_some() && contents[0] == contents[1] && contents[0] != contents[2]);
    assert_eq!(contents[3], None, "of several pages nothing is known");
    std::fs::write(file.path(), line(32, &page).replace(" 8 W ", " 7 W ")).unwrap();
    let refused = open(file.path(), &OpenOptions::default()).err().unwrap();
    assert!(refused.to_string().contains("one for each sector"), "{refused}");
}

#[test]
fn diskmon() {
    let text = b"0\t0.25\t0.00001\t0\tRead\t8\t16\r\n1\t0.5\t0.00002\t0\tWrite\t0\t1\r\n";
    check("diskmon", text, &[(0, Read, 4096, 8192), (250_000_000, Write, 0, 512)]);
}

#[test]
fn wiscsee() {
    let text = b"9 D read 0 4096 0.5 0 False\n9 C read 0 4096 0.6 0 False\n9 D discard 4096 8192 0.500001 6.9e-06 True\n";
    check("wiscsee", text, &[(0, Read, 0, 4096), (1_000, Trim, 4096, 8192)]);
}

const BLKPARSE: &[u8] = b"  8,16   0        1     0.000000100  53  Q   R 8 + 16 [java]
  8,16   0        2     0.000000200  53  D   R 8 + 16 [java]
  8,16   0        3     0.000000300   0  C   R 8 + 16 [0]
  8,16   0        4     0.000000400  53  D  FN [kworker/2:1H]
  8,16   0        5     0.000000500  53  D   D 0 + 8 [fstrim]
  8,16   0        6     0.000000600  53  D   R 36 (12 00 00 00 24 00) [smartd]
  8,16   0        7     0.000000700  53  m   N cfq schedule
  8,16   0        8     0.000000800  53  D FWFS 8 + 1 [jbd2]
CPU0 (8,16):
 Reads Queued:           0,        0KiB\t Writes Queued:           0,        0KiB
";

#[test]
fn blkparse() {
    check(
        "blkparse",
        BLKPARSE,
        &[(0, Read, 4096, 8192), (200, Flush, 0, 0), (300, Trim, 0, 4096), (600, Write, 4096, 512)],
    );
    let queued = OpenOptions { event: Some(Event::Queued), ..OpenOptions::default() };
    assert_eq!(rows(&read(BLKPARSE, &queued).unwrap()), [(0, Read, 4096, 8192)]);
}

#[test]
fn fio_iolog() {
    let second = b"fio version 2 iolog\n/dev/sda add\n/dev/sda open\n/dev/sda write 4096 8192\n/dev/sda wait 250\n/dev/sda sync 0 0\n/dev/sda trim 0 512\n/dev/sda close\n";
    check("fio", second, &[(0, Write, 4096, 8192), (250_000, Flush, 0, 0), (250_000, Trim, 0, 512)]);
    let third = b"fio version 3 iolog\n0 /dev/sda add\n1 /dev/sda open\n5 /dev/sda write 4096 8192\n7 /dev/sda datasync 0 0\n8 /dev/sda close\n";
    check("fio", third, &[(0, Write, 4096, 8192), (2_000, Flush, 0, 0)]);
}

#[test]
fn nbdkit_log() {
    let text = b"2026-11-21 23:59:59.999999 Ready thread_model=3
2026-11-21 23:59:59.999999 connection=1 Connect export=\"\" tls=0 size=0x4000000 write=1
2026-11-21 23:59:59.999999 connection=1 Write id=1 offset=0x1000 count=0x2000 fua=0 ...
2026-11-22 00:00:00.000001 connection=1 ...Write id=1 return=0
2026-11-22 00:00:00.000002 connection=1 Zero id=2 offset=0x0 count=0x200 trim=1 fua=0 fast=0 ...
2026-11-22 00:00:00.000003 connection=1 Zero id=3 offset=0x0 count=0x200 trim=0 fua=0 fast=0 ...
2026-11-22 00:00:00.000004 connection=1 Flush id=4 ...
2026-11-22 00:00:00.000005 connection=1 Read id=5 offset=0x0 count=0x200 ...
2026-11-22 00:00:00.000006 connection=1 Trim id=6 offset=0x0 count=0x200 fua=0 ...
2026-11-22 00:00:00.000007 connection=1 Disconnect transactions=6
";
    let expected = [
        (0, Write, 4096, 8192),
        (3_000, Trim, 0, 512),
        (4_000, Write, 0, 512),
        (5_000, Flush, 0, 0),
        (6_000, Read, 0, 512),
        (7_000, Trim, 0, 512),
    ];
    check("nbdkit", text, &expected);
}

#[test]
fn plain_csv() {
    let text = b"time_ns,operation,offset_bytes,length_bytes\n5,write,4096,8192\n7,flush,,\n9,overwrite,0,4096\n9,discard,0,512\n";
    check(
        "csv",
        text,
        &[(0, Write, 4096, 8192), (2, Flush, 0, 0), (4, Operation::Overwrite, 0, 4096), (4, Trim, 0, 512)],
    );
}

#[test]
fn plain_csv_carries_placement_identifiers() {
    let text = b"0,write,0,512,7\n1,flush,,,\n2,write,0,512\n3,write,0,512,\n4,read,0,512,255\n";
    let requests = read(text, &OpenOptions::default()).unwrap();
    assert_eq!(requests.iter().map(|one| one.stream).collect::<Vec<_>>(), [7, 0, 0, 0, 255]);
    for bad in ["256", "-1", "x", "1,2,3"] {
        let error = read(format!("0,write,0,512\n1,write,0,512,{bad}\n").as_bytes(), &OpenOptions::default());
        let error = error.unwrap_err();
        assert_eq!(error.place, rewear_trace::Place::Line(2), "{error:?}");
        assert!(error.problem.contains("stream"), "{error:?}");
    }
    let volumes = read(b"0,write,0,512,0,a\n1,read,0,512,0,b\n", &OpenOptions::default()).unwrap();
    assert_eq!(volumes.iter().map(|one| one.volume).collect::<Vec<_>>(), [0, 1]);
}

fn vscsi(version: u16, command: u16, length: u32, sector: u64, micros: u64) -> Vec<u8> {
    let words = |parts: [u32; 3]| parts.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>();
    let kind = [command.to_le_bytes(), (version << 8).to_le_bytes()].concat();
    let place = [sector.to_le_bytes(), micros.to_le_bytes()].concat();
    match version {
        1 => [words([7, length, 1]), kind, place].concat(),
        _ => [kind, words([7, length, 1]), place, 99u64.to_le_bytes().to_vec()].concat(),
    }
}

#[test]
fn vscsi_of_both_versions() {
    for version in [1, 2] {
        let records = [
            vscsi(version, 0x2a, 8192, 8, 1_000),
            vscsi(version, 0x00, 0, 0, 1_001),
            vscsi(version, 0x88, 512, 0, 1_005),
            vscsi(version, 0x35, 0, 0, 1_006),
        ];
        check(
            "vscsi",
            &records.concat(),
            &[(0, Write, 4096, 8192), (5_000, Read, 0, 512), (6_000, Flush, 0, 0)],
        );
        let cut = records.concat();
        let error = read(&cut[..cut.len() - 1], &OpenOptions::default()).unwrap_err();
        assert!(error.to_string().contains("record 4"), "{error}");
    }
}

/// A record of struct blk_io_trace (version 7) or blk_io_trace2 (version 8) with a payload.
fn blktrace(version: u32, big_endian: bool, action: u32, time: u64, sector: u64, bytes: u32) -> Vec<u8> {
    let mut record = Vec::new();
    let order = |mut bytes: Vec<u8>| {
        if big_endian {
            bytes.reverse();
        }
        bytes
    };
    let word = |value: u32| order(value.to_le_bytes().to_vec());
    let long = |value: u64| order(value.to_le_bytes().to_vec());
    let half = |value: u16| order(value.to_le_bytes().to_vec());
    record.extend([word(0x6561_7400 | version), word(1), long(time), long(sector), word(bytes)].concat());
    if version == 7 {
        record.extend([word(action), word(42), word(0x80_0010), word(0), half(0), half(3)].concat());
    } else {
        record.extend(
            [word(42), long(action.into()), word(0x80_0010), word(0), half(0), half(3), vec![0; 12]].concat(),
        );
    }
    record.extend(b"pdu");
    record
}

#[test]
fn blktrace_of_both_versions_and_byte_orders() {
    const ISSUE: u32 = 7 | 1 << 22;
    for (version, big_endian) in [(7, false), (7, true), (8, false), (8, true)] {
        let one = |action, time, sector, bytes| blktrace(version, big_endian, action, time, sector, bytes);
        let records = [
            one(1 | 1 << 26, 0, 0, 0),
            one(1 | 1 << 19 | 1 << 16, 90, 8, 8192),
            one(ISSUE | 1 << 16, 100, 8, 8192),
            one(8 | 1 << 23 | 1 << 16, 110, 8, 8192),
            one(ISSUE | 1 << 17, 120, 0, 512),
            one(ISSUE | 1 << 29 | 1 << 17, 130, 0, 4096),
            one(ISSUE | 1 << 18, 140, 0, 0),
            one(ISSUE | 1 << 25 | 1 << 16, 150, 0, 36),
        ];
        let expected = [(0, Read, 4096, 8192), (20, Write, 0, 512), (30, Trim, 0, 4096), (40, Flush, 0, 0)];
        check("blktrace", &records.concat(), &expected);
    }
}

/// The examples stand beside each reader, so a new format is tried by itself.
#[test]
fn exactly_one_format_takes_each_example() {
    // The columns of one are the user's, so it has no example.
    for format in formats().iter().filter(|format| format.name != "columns") {
        assert!(!format.examples.is_empty(), "{} has no example", format.name);
        for example in format.examples {
            let takers: Vec<_> = formats().iter().filter(|other| other.takes(example)).collect();
            let names: Vec<_> = takers.iter().map(|taker| taker.name).collect();
            assert_eq!(names, [format.name], "{}", example.escape_ascii());
            assert!(!read(example, &OpenOptions::default()).unwrap().is_empty(), "{}", format.name);
        }
    }
}

#[test]
fn blkreplay_with_licence_and_heading_twice() {
    let licence = "Copyright somebody\n\nCopying is permitted; see 0 ; below\n".repeat(40);
    let heading = "start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n";
    let data = "   0.5 ;  8 ; 16 ; R ; 0.0 ; 0.0\n   0.6 ; 0 ; 1 ; W ; 0.0 ; 0.0\n";
    let once = [(0, Read, 4096, 8192), (100_000_000, Write, 0, 512)];
    let twice = format!("{licence}{heading}{licence}{heading}{data}");
    check("blkreplay", twice.as_bytes(), &once);
    let file = format!("{licence}{heading}{data}");
    check("blkreplay", format!("{file}{file}").as_bytes(), &once.repeat(2));
    let other_licence = licence.replace("somebody", "somebody else");
    check("blkreplay", format!("{licence}{heading}{other_licence}{heading}{data}").as_bytes(), &once);
}

#[test]
fn a_blank_operation_of_systor_17_is_ignored_and_counted() {
    let text = b"Timestamp,Response,IOType,LUN,Offset,Size\n1.0,0.1,R,0,4096,8192\n1.1,0.1,,0,0,0\n1.2,0.1, ,0,8192,4096\n1.3,,W,0,0,512\n";
    check("systor17", text, &[(0, Read, 4096, 8192), (300_000_000, Write, 0, 512)]);
    let (mut source, _file) = crate::common::opened(text);
    crate::common::drain(&mut *source).unwrap();
    assert_eq!((source.omissions().bad_lines, source.omissions().ignored_lines), (0, 3));
}

#[test]
fn vscsi_csv() {
    let decimal =
        b"version,time,op,size,lbn\n1,1000,42,8192,8\n1,1005,40,512,0\n1,1006,53,0,0\n1,1007,18,36,0\n";
    let expected = [(0, Write, 4096, 8192), (5_000, Read, 0, 512), (6_000, Flush, 0, 0)];
    check("vscsi-csv", decimal, &expected);
    check("vscsi-csv", b"2,1000,2a,8192,8\n2,1005,28,512,0\n2,1006,35,0,0\n2,1007,12,36,0\n", &expected);
    check("vscsi-csv", b"2,1000,0x2a,8192,8\n2,1005,0x28,512,0\n2,1006,0x35,0,0\n", &expected);
    check("vscsi-csv", b"1,1000,W,8192,8\n1,1005,R,512,0\n1,1006,flush,0,0\n", &expected);
}

#[test]
fn tencent_in_its_first_seconds_is_not_a_vscsi_csv() {
    let text = "1,8,8,0,1058\n1,16,42,1,1058\n2,0,40,0,1063\n".repeat(20);
    assert_eq!(crate::common::opened(text.as_bytes()).0.description().format, "tencent");
}

#[test]
fn biosnoop_of_bcc() {
    let text = b"TIME(s)     COMM           PID    DISK    T SECTOR     BYTES   LAT(ms)
0.000740    jbd2/sda1-8    1950   sda     W 8          8192       0.74
0.001000    Web Content    1950   sdb     R 0          512        0.20
0.001100    ?              0              R 0          512        0.20
0.001200    kworker/0:1H   7      sda     R 8          0          0.20
";
    // Issued at 0 and 0.8 ms; the third line lacks the disk, the last one moves no data.
    check("biosnoop", text, &[(0, Write, 4096, 8192), (800_000, Read, 0, 512)]);
    let queued = b"Tracing block device I/O... Hit Ctrl-C to end.
TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  QUE(ms) LAT(ms)
0.000000    kworker/u72:1  13379  nvme1n1 W 8          8192      0.01    0.55
0.000771    sync           22177  nvme1n1 FWFS 0       512       0.11    0.47
";
    check("biosnoop", queued, &[(0, Write, 4096, 8192), (851_000, Write, 0, 512)]);
}

#[test]
fn biosnoop_of_bpftrace() {
    let text = b"Attaching 4 probes...
TIME(ms)     DISK    COMM             PID    T SECTOR     BYTES   LAT(ms)
611          vda     Web Content      4179   W 8          8192         10
627          vda     cksum            4179   R 0          512          15
";
    check("biosnoop", text, &[(0, Write, 4096, 8192), (11_000_000, Read, 0, 512)]);
    // As it comes with bpftrace: nothing to replay.
    let bare = b"Attaching 4 probes...\nTIME(ms)     DISK    COMM             PID    LAT(ms)\n611          vda     bash             4179        10\n";
    let error = read(bare, &OpenOptions::default()).unwrap_err().to_string();
    assert!(error.contains("line 2: ") && error.contains("neither sector nor size"), "{error}");
}

#[test]
fn comments_do_not_make_an_ssdsim_trace_one_of_disksim() {
    let text = b"10 0 8 16 0\n30 0 0 1 1 // the last request\n// 2 requests, 0.5 s\n//\n";
    check("ssdsim", text, &[(0, Write, 4096, 8192), (20, Read, 0, 512)]);
    let lines = (0..50).map(|index| format!("{index} 0 {index} 8 1\n")).collect::<String>();
    let text = format!("{lines}// 50 requests\n// mean arrival 1.5 ms\n");
    assert_eq!(crate::common::opened(text.as_bytes()).0.description().format, "ssdsim");
}
