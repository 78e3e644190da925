//! Successive cancellation on known and free cells.
//!
//! A subtree of the code is described by its known cells and their values. Its left child knows a
//! cell where both cells of a pair are known; its right child where either is. A subtree without
//! message bits copies its values, and one full of them is a transform. Two more shapes need no
//! recursion: a single message bit at the first position (a parity), and all but the last (a
//! repetition). The rest is split.

use super::message::Positions;
use super::word::{any, lowest, parity_64, select, transform_64, word_64};

/// One step of the encoder on words `first .. first + width` of the codeword.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    kind: Kind,
    first: u32,
    width: u32,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Derive the left child's known cells and values from this node's.
    Left,
    /// Derive the right child's from this node's and the left child's codeword.
    Right,
    /// Join the children's codewords.
    Join,
    /// No message bit below.
    Free,
    /// All positions below are message bits.
    Full,
    /// Only the first position below is a message bit.
    Parity,
    /// Only the last position below is none.
    Repetition,
    /// A single word of any other shape.
    Word,
}

/// The steps for a code, in order.
pub(super) fn schedule(positions: &Positions) -> Vec<Step> {
    let mut steps = Vec::new();
    plan_node(positions, 0, positions.mask.len(), &mut steps);
    steps
}

fn plan_node(positions: &Positions, first: usize, width: usize, steps: &mut Vec<Step>) {
    let count = positions.count(first, width) as usize;
    let all = 64 * width;
    let mut push = |kind| steps.push(Step { kind, first: first as u32, width: width as u32 });
    if count == 0 {
        push(Kind::Free);
    } else if count == all {
        push(Kind::Full);
    } else if count == 1 && positions.mask[first] == 1 {
        push(Kind::Parity);
    } else if count == all - 1 && positions.mask[first + width - 1] == u64::MAX >> 1 {
        push(Kind::Repetition);
    } else if width == 1 {
        push(Kind::Word);
    } else {
        push(Kind::Left);
        plan_node(positions, first, width / 2, steps);
        steps.push(Step { kind: Kind::Right, first: first as u32, width: width as u32 });
        plan_node(positions, first + width / 2, width / 2, steps);
        steps.push(Step { kind: Kind::Join, first: first as u32, width: width as u32 });
    }
}

/// The working memory of an encoding of a code of `words` words.
#[derive(Clone)]
pub(super) struct Buffers {
    /// Known cells of the node at hand and of its ancestors: a node of `w` words lies at `2 *
    /// words - 2 * w`.
    pub(super) known: Vec<u64>,
    /// Values of the known cells, laid out likewise; of no meaning where a cell is unknown.
    pub(super) value: Vec<u64>,
    /// Message bits at their positions of `u`.
    pub(super) message: Vec<u64>,
    /// The codeword.
    pub(super) x: Vec<u64>,
}

impl Buffers {
    pub(super) fn new(words: usize) -> Buffers {
        Buffers {
            known: vec![0; 2 * words],
            value: vec![0; 2 * words],
            message: vec![0; words],
            x: vec![0; words],
        }
    }
}

/// Whether the message contradicts known cells: any bit that differs.
pub(super) struct Conflicts(u64);

impl Conflicts {
    #[inline(always)]
    pub(super) fn note(&mut self, differing: u64) {
        self.0 |= differing;
    }
}

/// Runs `steps`: `known` and `value` of the root and `message` are set; `x` is the result. Returns
/// whether it keeps all known cells.
pub(super) fn run(steps: &[Step], mask: &[u64], buffers: &mut Buffers) -> bool {
    let words = buffers.x.len();
    let mut conflicts = Conflicts(0);
    for step in steps {
        let (first, width) = (step.first as usize, step.width as usize);
        let base = 2 * (words - width);
        match step.kind {
            Kind::Left => left(buffers, base, width),
            Kind::Right => right(buffers, base, first, width),
            Kind::Join => {
                let (a, b) = buffers.x[first..first + width].split_at_mut(width / 2);
                a.iter_mut().zip(b).for_each(|(a, b)| *a ^= *b);
            }
            _ => {
                let known = &buffers.known[base..base + width];
                let value = &buffers.value[base..base + width];
                let message = &buffers.message[first..first + width];
                let x = &mut buffers.x[first..first + width];
                match step.kind {
                    Kind::Free => x.copy_from_slice(value),
                    Kind::Full => full(known, value, message, x, &mut conflicts),
                    Kind::Parity => parity(known, value, message, x, &mut conflicts),
                    Kind::Repetition => repetition(known, value, message, x, &mut conflicts),
                    _ => x[0] = word_64(known[0], value[0], message[0], mask[first], &mut conflicts),
                }
            }
        }
    }
    conflicts.0 == 0
}

fn left(buffers: &mut Buffers, base: usize, width: usize) {
    let half = width / 2;
    let (parent, child) = buffers.known[base..].split_at_mut(width);
    let (k1, k2) = parent.split_at(half);
    for ((out, k1), k2) in child[..half].iter_mut().zip(k1).zip(k2) {
        *out = k1 & k2;
    }
    let (parent, child) = buffers.value[base..].split_at_mut(width);
    let (v1, v2) = parent.split_at(half);
    for ((out, v1), v2) in child[..half].iter_mut().zip(v1).zip(v2) {
        *out = v1 ^ v2;
    }
}

fn right(buffers: &mut Buffers, base: usize, first: usize, width: usize) {
    let half = width / 2;
    let (known, known_child) = buffers.known[base..].split_at_mut(width);
    let (value, value_child) = buffers.value[base..].split_at_mut(width);
    let (k1, k2) = known.split_at(half);
    let (v1, v2) = value.split_at(half);
    let a = &buffers.x[first..first + half];
    let parents = k1.iter().zip(k2).zip(v1.iter().zip(v2)).zip(a);
    let children = known_child[..half].iter_mut().zip(&mut value_child[..half]);
    for ((k, v), (((k1, k2), (v1, v2)), a)) in children.zip(parents) {
        *k = k1 | k2;
        *v = select(*k2, *v2, v1 ^ a);
    }
}

/// Notes where a codeword differs from known cells.
fn compare(known: &[u64], value: &[u64], x: &[u64], conflicts: &mut Conflicts) {
    for ((x, known), value) in x.iter().zip(known).zip(value) {
        conflicts.note(known & (x ^ value));
    }
}

fn full(known: &[u64], value: &[u64], message: &[u64], x: &mut [u64], conflicts: &mut Conflicts) {
    transform_into(message, x);
    compare(known, value, x, conflicts);
}

/// `x = message G` over whole words.
fn transform_into(message: &[u64], x: &mut [u64]) {
    for (x, message) in x.iter_mut().zip(message) {
        *x = transform_64(*message);
    }
    let mut stride = 1;
    while stride < x.len() {
        for block in x.chunks_exact_mut(2 * stride) {
            let (a, b) = block.split_at_mut(stride);
            a.iter_mut().zip(b).for_each(|(a, b)| *a ^= *b);
        }
        stride *= 2;
    }
}

/// The first message bit is the parity of the codeword: free the lowest unknown cell to set it.
fn parity(known: &[u64], value: &[u64], message: &[u64], x: &mut [u64], conflicts: &mut Conflicts) {
    x.copy_from_slice(value);
    let sum = value.iter().fold(0, |sum, word| sum ^ word);
    let wrong = (parity_64(sum) ^ message[0]) & 1;
    match x.iter_mut().zip(known).find(|(_, known)| **known != u64::MAX) {
        Some((x, known)) => *x ^= lowest(!known) & wrong.wrapping_neg(),
        None => conflicts.note(wrong),
    }
}

/// The last position inverts the whole codeword: the lowest known cell decides it.
fn repetition(known: &[u64], value: &[u64], message: &[u64], x: &mut [u64], conflicts: &mut Conflicts) {
    transform_into(message, x);
    let first = x.iter().zip(known).zip(value).find(|((_, known), _)| **known != 0);
    let invert = first.map_or(0, |((x, known), value)| any(lowest(*known) & (x ^ value)));
    x.iter_mut().for_each(|x| *x ^= invert.wrapping_neg());
    compare(known, value, x, conflicts);
}
