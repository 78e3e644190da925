//! Columns that the user names, headings that no format has for itself, and forms of other tools.

#![allow(clippy::unwrap_used)] // a test may stop where it stands

use crate::common::{opened, read};
use rewear_trace::{ErrorKind, OpenOptions, Operation, OwnColumns, Request};

use Operation::{Flush, Read, Trim, Write};

type Row = (u64, Operation, u64, u64);

fn rows(requests: &[Request]) -> Vec<Row> {
    requests.iter().map(|one| (one.at_ns, one.operation, one.offset_bytes, one.length_bytes)).collect()
}

fn named(columns: &str, more: OwnColumns) -> OpenOptions {
    OpenOptions {
        own_columns: Some(OwnColumns { columns: columns.to_owned(), ..more }),
        ..OpenOptions::default()
    }
}

const EXPECTED: [Row; 3] = [(0, Write, 4096, 8192), (2_000, Read, 0, 512), (5_000, Write, 8192, 4096)];

#[test]
fn lines_are_read_by_the_columns_that_the_user_names() {
    let plain = OwnColumns::default;
    for (columns, text) in [
        ("time_us+sector+sectors+op", "100 8 16 W\n102 0 1 R\n105 16 8 W\n"),
        (
            "op+-+offset+bytes+time_ns",
            "Write,x y,4096,8192,7\nREAD,,0,512,2007\nDiskWrite,,0x2000,0x1000,5007\n",
        ),
        ("time_s+offset*4096+bytes*512+op", "1.0;1;16;w\n1.000002;0;1;r\n1.000005;2;8;WS\n"),
        (
            "date+op+sector+bytes",
            "2026-01-01 10:00:00.000001,w,8,8192\n2026-01-01T10:00:00.000003Z,r,0,512\n2026-01-01 10:00:00.000006,w,16,4096\n",
        ),
    ] {
        assert_eq!(rows(&read(text.as_bytes(), &named(columns, plain())).unwrap()), EXPECTED, "{columns}");
    }
    let words = OwnColumns { reads: Some("in+input".into()), writes: Some("out".into()), ..plain() };
    let text = b"0 out 8 16\n2 in 0 1\n5 OUT 16 8\n";
    assert_eq!(rows(&read(text, &named("time_us+op+sector+sectors", words)).unwrap()), EXPECTED);
    let all = OwnColumns { writes: Some("*".into()), ..plain() };
    assert_eq!(rows(&read(b"8 16\n", &named("sector+sectors", all)).unwrap()), [(0, Write, 4096, 8192)]);
    let volumes =
        read(b"0,w,0,512,a,3\n0,w,0,512,b,4\n", &named("time+op+offset+bytes+volume+stream", plain()))
            .unwrap();
    assert_eq!(volumes.iter().map(|one| (one.volume, one.stream)).collect::<Vec<_>>(), [(0, 3), (1, 4)]);
}

#[test]
fn columns_that_name_no_request_are_refused_with_the_names() {
    for (columns, words) in [
        ("time+op+sector", "no length"),
        ("time+sector+sectors", "no operation"),
        ("time+op+sector+pages", "there is no column \"pages\""),
        ("time+op+offset*0+bytes", "no factor"),
    ] {
        let error = read(b"1 2 3 4\n", &named(columns, OwnColumns::default())).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Parameter);
        assert!(error.to_string().contains(words), "{error}");
    }
    let wrong = OwnColumns { separator: Some("dash".into()), ..OwnColumns::default() };
    assert!(
        read(b"1 2\n", &named("time+op+sector+sectors", wrong))
            .unwrap_err()
            .to_string()
            .contains("semicolon")
    );
}

#[test]
fn what_no_format_takes_is_refused_with_the_line_to_type() {
    let line = |number: u64| {
        format!(
            "{},{},{},{}",
            1_000 + number * 5_000,
            number * 64 % 1024,
            8 << (number % 2),
            if number.is_multiple_of(3) { 'R' } else { 'W' }
        )
    };
    let text = (0..100).map(|number| line(number) + "\n").collect::<String>();
    let error = read(text.as_bytes(), &OpenOptions::default()).unwrap_err();
    assert!(error.to_string().contains(":format=columns,columns=time_us+sector+sectors+op"), "{error}");
    let smart =
        read(b"smartctl 7.4 2023-08-01\n\nPercentage Used: 4%\n", &OpenOptions::default()).unwrap_err();
    assert!(smart.to_string().contains("rewear life"), "{smart}");
    let strace = read(b"812 pwrite64(7, \"\", 4096, 8192) = 4096\n", &OpenOptions::default()).unwrap_err();
    assert!(strace.to_string().contains("offsets are in files"), "{strace}");
}

#[test]
fn headings_are_passed_over_in_every_format() {
    let rows_of = [
        ("msr", "128166372003061629,web,1,Write,4096,8192,559\n"),
        ("spc", "0,8,8192,W,0.5\n"),
        ("tencent", "1538323200,8,16,1,1058\n"),
        ("disksim", "0.5 0 8 16 0\n"),
        ("ssdsim", "10,0,8,16,0\n"),
        ("alibaba", "3,W,4096,8192,1577808144000046\n"),
        ("csv", "5;write;4096;8192\n"),
    ];
    for heading in [
        "Timestamp,Offset,Size,IOType,VolumeID\n",
        "# time dev lba size flags\n",
        "time dev lba size flags\n",
        "// a\n\n",
    ] {
        for (format, row) in rows_of {
            let (mut source, _file) = opened(format!("{heading}{row}{row}").as_bytes());
            assert_eq!(source.description().format, format, "{heading}");
            let found = crate::common::drain(&mut *source).unwrap();
            assert_eq!(
                (found.len(), found[0].offset_bytes, found[0].length_bytes),
                (2, 4096, 8192),
                "{format}"
            );
        }
    }
    let index = ",device_id,opcode,offset,length,timestamp\n0,3,W,4096,8192,10\n1,3,R,0,512,12\n";
    assert_eq!(rows(&read(index.as_bytes(), &OpenOptions::default()).unwrap()), EXPECTED[..2]);
}

#[test]
fn ticks_beyond_64_bits_of_nanoseconds_count_from_the_first() {
    let text = b"1281663701000000000,usr,0,Write,4096,8192,1\n1281663701000000020,usr,0,Read,0,512,1\n";
    assert_eq!(rows(&read(text, &OpenOptions::default()).unwrap()), EXPECTED[..2]);
}

#[test]
fn events_of_the_kernel() {
    let block = b"   app-812     [000] .....  100.000001: block_rq_issue: 259,0 WS 8192 () 8 + 16 [app]
  <idle>-0     [001] d.h1.  100.000002: block_rq_complete: 259,0 WS () 8 + 16 [0]
   app-812     [000] .....  100.000003: block_rq_issue: 259,0 R 512 () 0 + 1 be,0,4 [my app]
   app-812     [000] .....  100.000006: block_rq_issue: 259,0 WS 4096 () 16 + 8 [app]
   app-812     [000] .....  100.000007: block_rq_issue: 259,0 FF 0 () 0 + 0 [app]
   app-812     [000] .....  100.000008: block_rq_issue: 259,0 D 4096 () 16 + 8 [app]
";
    let flush_and_trim = [(6_000, Flush, 0, 0), (7_000, Trim, 8192, 4096)];
    let expected = [&EXPECTED[..], &flush_and_trim].concat();
    assert_eq!(rows(&read(block, &OpenOptions::default()).unwrap()), expected);
    let perf = String::from_utf8_lossy(block).replace("block_rq", "block:block_rq");
    assert_eq!(rows(&read(perf.as_bytes(), &OpenOptions::default()).unwrap()), expected);
    let nvme = b"cpus=2
 app-8 [000] .. 100.000001: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=1, cmdid=0, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_write slba=8, len=15, ctrl=0x4000, dsmgmt=0, reftag=0)
 <idle>-0 [001] d. 100.000002: nvme_complete_rq: nvme0: disk=nvme0n1, qid=1, cmdid=0, res=0x0, retries=0, flags=0x0, status=0x0
 app-8 [000] .. 100.000003: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=1, cmdid=1, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_read slba=0, len=0, ctrl=0x0, dsmgmt=0, reftag=0)
 app-8 [000] .. 100.000006: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=1, cmdid=2, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_write slba=16, len=7, ctrl=0x0, dsmgmt=0, reftag=0)
 app-8 [000] .. 100.000007: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=1, cmdid=3, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_flush )
 app-8 [000] .. 100.000008: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=1, cmdid=4, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_dsm nr=0, attributes=4)
";
    assert_eq!(rows(&read(nvme, &OpenOptions::default()).unwrap()), expected[..4]);
}

#[test]
fn iosnoop_io_tracer_and_fios_log_of_latencies() {
    let iosnoop = b"Tracing block I/O. Ctrl-C to end.
STARTs     ENDs       COMM       PID    TYPE DEV      BLOCK        BYTES     LATms
1.000001   1.000501   my app     812    W    259,0    8            8192      0.50
1.000003   1.000503   app        812    R    259,0    0            512       0.50
1.000006   1.000506   app        812    WS   259,0    16           4096      0.50
";
    assert_eq!(rows(&read(iosnoop, &OpenOptions::default()).unwrap()), EXPECTED);
    let bare = b"COMM       PID    TYPE DEV      BLOCK        BYTES     LATms\napp        812    W    259,0    8            8192      0.50\n";
    assert!(read(bare, &OpenOptions::default()).unwrap_err().to_string().contains("iosnoop -ts"));
    let tracer = b"timestamp,pid,command,sector,operation,size,latency_ms\n2026-01-01 08:30:40.000001,8,app,8,write,8192,0.5\n2026-01-01 08:30:40.000003,8,app,0,read,512,0.5\n2026-01-01 08:30:40.000006,8,app,16,write,4096,0.5\n";
    assert_eq!(rows(&read(tracer, &OpenOptions::default()).unwrap()), EXPECTED);
    let fio = b"1, 500000, 1, 8192, 4096, 0\n3, 500000, 0, 512, 0, 0\n";
    assert_eq!(
        rows(&read(fio, &OpenOptions::default()).unwrap()),
        [(0, Write, 4096, 8192), (2_000_000, Read, 0, 512)]
    );
}

#[test]
fn columns_without_an_operation_are_proposed_as_writes() {
    let lines: Vec<String> = (0..40u64)
        .map(|at| {
            let sectors = if at % 3 == 0 { 32 } else { 8 };
            format!(
                "  100.{:06}, 812, app, D, {}, {sectors}, {}\n",
                at * 371,
                at * 977 % 4096 * 8,
                sectors * 512
            )
        })
        .collect();
    let error = read(lines.concat().as_bytes(), &OpenOptions::default()).unwrap_err().to_string();
    assert!(error.contains("none tells reads from writes"), "{error}");
    assert!(error.contains(":format=columns,columns=time_s+-+-+-+sector+-+bytes,writes=*"), "{error}");
    let all = OwnColumns { writes: Some("*".into()), ..OwnColumns::default() };
    let found = read(lines.concat().as_bytes(), &named("time_s+-+-+-+sector+-+bytes", all)).unwrap();
    assert_eq!((found.len(), found[0].length_bytes, found[1].offset_bytes), (40, 16_384, 977 * 8 * 512));
    // Without a clock numbers are anything.
    let numbers: String = (0..40).map(|at| format!("{at} {} {}\n", at * 8, 8 << (at % 2))).collect();
    let error = read(numbers.as_bytes(), &OpenOptions::default()).unwrap_err().to_string();
    assert!(!error.contains("writes=*"), "{error}");
}
