//! Edits of a text or file that is right, so that a fuzzer reaches what lies behind the first
//! check.

use crate::input::Input;

/// Values on which parsers stumble: limits of integers, numbers that are none, separators.
const PIECES: [&[u8]; 24] = [
    b"0",
    b"1",
    b"-1",
    b"255",
    b"65536",
    b"4294967295",
    b"4294967296",
    b"4611686018427387904",
    b"9223372036854775808",
    b"18446744073709551615",
    b"18446744073709551616",
    b"1e308",
    b"1e-320",
    b"nan",
    b"inf",
    b"0.5",
    b"true",
    b"\"\"",
    b"[]",
    b"\n",
    b",",
    b"=",
    b"//",
    b"\xff\xfe",
];

/// `content` with some edits, which take what is left of the input: bytes changed, cut out,
/// doubled, put in.
pub fn edited(content: &[u8], input: &mut Input<'_>) -> Vec<u8> {
    let mut edited = content.to_vec();
    for _ in 0..input.below(6) {
        let at = if edited.is_empty() { 0 } else { input.u64() as usize % edited.len() };
        let length = input.below(48);
        let end = (at + length).min(edited.len());
        match input.below(7) {
            0 => drop(edited.drain(at..end)),
            1 => drop(edited.splice(at..at, input.bytes(length))),
            2 => drop(edited.splice(at..end, input.bytes(length))),
            3 => drop(edited.splice(at..at, PIECES[input.below(PIECES.len())].iter().copied())),
            4 => drop(edited.splice(word(&edited, at), PIECES[input.below(PIECES.len())].iter().copied())),
            5 => drop(edited.splice(at..at, edited[at..end].to_vec())),
            _ => edited.truncate(at),
        }
    }
    edited
}

/// The number or word around a place.
fn word(content: &[u8], at: usize) -> std::ops::Range<usize> {
    let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let before = content[..at].iter().rev().take_while(|byte| belongs(byte)).count();
    let behind = content[at..].iter().take_while(|byte| belongs(byte)).count();
    at - before..at + behind
}
