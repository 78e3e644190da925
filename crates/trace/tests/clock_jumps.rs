//! Clocks that jump: said with their place, whatever the format, and taken out if that is asked.

#![allow(clippy::unwrap_used)] // a test may stop where it stands

use crate::common::{drain, opened, read};
use rewear_trace::{CompactWriter, Info, OpenOptions, info, open};

const S: u64 = 1_000_000_000;

fn counted(content: &[u8], options: &OpenOptions) -> Info {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), content).unwrap();
    info(&mut *open(file.path(), options).unwrap()).unwrap()
}

fn cut(seconds: u64) -> OpenOptions {
    OpenOptions { cut_gaps_ns: Some(seconds * S), ..OpenOptions::default() }
}

/// Forty years from the 15th of 30 requests on, which come each 10 s.
fn stray(row: impl Fn(u64) -> String, unit: u64) -> String {
    (0..30u64)
        .map(|n| row(if n == 14 { 1_262_304_000 * unit } else { 10 * n * unit }))
        .collect::<Vec<_>>()
        .concat()
}

#[test]
fn blkparse_counts_events_before_the_first_down_from_a_wrapped_zero() {
    let line = |at: &str| format!("259,0    0        1   {at}   812  D   WS 8 + 8 [app]\n");
    let times = |text: &str| -> Vec<u64> {
        read(text.as_bytes(), &OpenOptions::default()).unwrap().iter().map(|request| request.at_ns).collect()
    };
    // 0.1 ms before the first: the seconds of 2^64 ns, modulo 2^32.
    let wrapped = "1266874889.709451616";
    assert_eq!(times(&[line("0.000000000"), line("2.5"), line(wrapped), line("3.0")].concat())[3], 3 * S);
    assert_eq!(
        times(&[line(wrapped), line("0.000000000"), line("3.0")].concat()),
        [0, 100_000, 3_000_100_000]
    );
    // As a blkparse prints it that keeps all 64 bits.
    assert_eq!(times(&[line("18446744073.709451616"), line("1.0")].concat())[1], S + 100_000);
    // Times of a calendar, of which some are of 22 February 2010, are what they say.
    let of_2010 = [line("1266874880.0"), line("1266874889.5"), line("1266874890.5")].concat();
    assert_eq!(times(&of_2010), [0, 9_500_000_000, 10_500_000_000]);
}

#[test]
fn a_stray_time_is_said_with_its_line_in_any_format_and_cut() {
    let csv = format!(
        "time_ns,operation,offset_bytes,length_bytes\n{}",
        stray(|at| format!("{at},write,0,4096\n"), S)
    );
    let formats = [
        (csv, 1),
        (stray(|at| format!("{at}.5,0.1,W,0,4096,8192\n"), 1), 0),
        (stray(|at| format!("{},web,1,Write,1024,4096,559\n", 128_166_372_000_000_000 + at), 10_000_000), 0),
        (stray(|at| format!("259,0 0 1 {at}.0 812 D WS 8 + 8 [app]\n"), 1), 0),
        (stray(|at| format!("1,W,0,4096,{at}\n"), 1_000_000), 0),
    ];
    for (text, heading) in &formats {
        let jump = counted(text.as_bytes(), &OpenOptions::default()).clock_jump.unwrap();
        assert!(jump.problem.contains(&format!("before line {}", 15 + heading)), "{}\n{text}", jump.problem);
        assert!(jump.problem.contains(&format!("at line {}", 16 + heading)), "{}", jump.problem);
        let without = counted(text.as_bytes(), &cut(jump.cut_gaps_s));
        assert_eq!(without.clock_jump, None, "{text}");
        assert_eq!(without.last_ns - without.first_ns, 270 * S, "two of 29 steps are gone");
        assert_eq!(without.backwards_times, 0);
    }
}

#[test]
fn a_compact_trace_has_it_as_the_file_that_it_was_made_of() {
    let text = stray(|at| format!("{at},write,0,4096\n"), S);
    let (mut source, _file) = opened(text.as_bytes());
    let mut writer = CompactWriter::new(Vec::new(), "", 0).unwrap();
    writer.copy(&mut *source).unwrap();
    let out = writer.finish().unwrap();
    let jump = counted(&out, &OpenOptions::default()).clock_jump.unwrap();
    assert!(jump.problem.contains("before request 15 is most of the duration"), "{}", jump.problem);
    assert_eq!(counted(&out, &cut(jump.cut_gaps_s)).last_ns, 270 * S);
}

#[test]
fn a_clock_that_is_set_back_is_said_and_goes_on_when_it_is_cut() {
    // Ten minutes, then an hour back, then ten minutes more.
    let times = (0..60u64).map(|n| 3600 + 10 * n).chain((0..60).map(|n| 10 * n));
    let text: String = times.map(|at| format!("{},write,0,4096\n", at * S)).collect();
    let jump = counted(text.as_bytes(), &OpenOptions::default()).clock_jump.unwrap();
    assert!(jump.problem.starts_with("Times go back by 1.2 h at line 61."), "{}", jump.problem);
    let whole = counted(text.as_bytes(), &cut(jump.cut_gaps_s));
    assert_eq!((whole.clock_jump, whole.last_ns), (None, 1180 * S));
}

#[test]
fn steady_traces_and_short_rests_are_no_jumps() {
    for (rest, said) in [(100u64, false), (350, true)] {
        let text: String = (0..300u64)
            .map(|n| format!("{},write,0,4096\n", n * S + rest * S * u64::from(n > 200)))
            .collect();
        assert_eq!(counted(text.as_bytes(), &OpenOptions::default()).clock_jump.is_some(), said, "{rest}");
    }
    let (mut source, _file) = opened(b"0,write,0,4096\n");
    drain(&mut *source).unwrap();
    assert_eq!(source.jumps().doubt(), None);
}
