//! Successive cancellation on known and free cells.
//!
//! A subtree of the code is described by its known cells and their values. Its left child knows a
//! cell where both cells of a pair are known; its right child where either is. A subtree without
//! message bits copies its values, and one full of them is a transform. Two more shapes need no
//! recursion: a single message bit at the first position (a parity), and all but the last (a
//! repetition). The rest is split.

use super::lanes::Lanes;
use super::message::Positions;
use super::word::{any, lowest, parity_64, transform_64, word_64};

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
pub(super) struct Buffers<T> {
    /// Known cells of the node at hand and of its ancestors: a node of `w` words lies at `2 *
    /// words - 2 * w`.
    pub(super) known: Vec<T>,
    /// Values of the known cells, laid out likewise; of no meaning where a cell is unknown.
    pub(super) value: Vec<T>,
    /// Message bits at their positions of `u`.
    pub(super) message: Vec<T>,
    /// The codeword.
    pub(super) x: Vec<T>,
}

impl<T: Lanes> Buffers<T> {
    pub(super) fn new(words: usize) -> Buffers<T> {
        let zero = T::splat(0);
        Buffers {
            known: vec![zero; 2 * words],
            value: vec![zero; 2 * words],
            message: vec![zero; words],
            x: vec![zero; words],
        }
    }
}

/// Sees the choices and the conflicts of an encoding as they happen.
pub(super) trait Observer<T> {
    /// Cells outside `known` of this piece of a codeword (`ones` marks its bits) can take any
    /// value.
    fn free_cells(&mut self, known: T, ones: u64, x: &mut T);
    /// A repetition is undecided where `undecided` is 1: whether to invert it there.
    fn free_repetition(&mut self, undecided: T) -> T;
    /// The message contradicts known cells where `conflict` has ones; `checked` marks the bits that
    /// were compared.
    fn conflict(&mut self, checked: T, conflict: T);
}

/// Where an encoding met conflicts.
pub(super) struct Conflicts<T>(pub(super) T);

impl<T: Lanes> Observer<T> for Conflicts<T> {
    #[inline(always)]
    fn free_cells(&mut self, _known: T, _ones: u64, _x: &mut T) {}
    #[inline(always)]
    fn free_repetition(&mut self, _undecided: T) -> T {
        T::splat(0)
    }
    #[inline(always)]
    fn conflict(&mut self, _checked: T, conflict: T) {
        self.0 = self.0.or(conflict);
    }
}

/// Runs `steps`: `known` and `value` of the root and `message` are set; `x` is the result.
#[inline(always)]
pub(super) fn run<T: Lanes, O: Observer<T>>(
    steps: &[Step],
    mask: &[u64],
    buffers: &mut Buffers<T>,
    observer: &mut O,
) {
    let words = buffers.x.len();
    for step in steps {
        let (first, width) = (step.first as usize, step.width as usize);
        let base = 2 * (words - width);
        match step.kind {
            Kind::Left => left(buffers, base, width),
            Kind::Right => right(buffers, base, first, width),
            Kind::Join => {
                let (a, b) = buffers.x[first..first + width].split_at_mut(width / 2);
                for (a, b) in a.iter_mut().zip(b) {
                    *a = a.xor(*b);
                }
            }
            _ => {
                let known = &buffers.known[base..base + width];
                let value = &buffers.value[base..base + width];
                let message = &buffers.message[first..first + width];
                let x = &mut buffers.x[first..first + width];
                match step.kind {
                    Kind::Free => free(known, value, x, observer),
                    Kind::Full => full(known, value, message, x, observer),
                    Kind::Parity => parity(known, value, message, x, observer),
                    Kind::Repetition => repetition(known, value, message, x, observer),
                    _ => x[0] = word_64(known[0], value[0], message[0], mask[first], observer),
                }
            }
        }
    }
}

#[inline(always)]
fn left<T: Lanes>(buffers: &mut Buffers<T>, base: usize, width: usize) {
    let half = width / 2;
    let (parent, child) = buffers.known[base..].split_at_mut(width);
    let (k1, k2) = parent.split_at(half);
    for ((out, k1), k2) in child[..half].iter_mut().zip(k1).zip(k2) {
        *out = k1.and(*k2);
    }
    let (parent, child) = buffers.value[base..].split_at_mut(width);
    let (v1, v2) = parent.split_at(half);
    for ((out, v1), v2) in child[..half].iter_mut().zip(v1).zip(v2) {
        *out = v1.xor(*v2);
    }
}

#[inline(always)]
fn right<T: Lanes>(buffers: &mut Buffers<T>, base: usize, first: usize, width: usize) {
    let half = width / 2;
    let (known, known_child) = buffers.known[base..].split_at_mut(width);
    let (value, value_child) = buffers.value[base..].split_at_mut(width);
    let (k1, k2) = known.split_at(half);
    let (v1, v2) = value.split_at(half);
    let a = &buffers.x[first..first + half];
    let parents = k1.iter().zip(k2).zip(v1.iter().zip(v2)).zip(a);
    let children = known_child[..half].iter_mut().zip(&mut value_child[..half]);
    for ((k, v), (((k1, k2), (v1, v2)), a)) in children.zip(parents) {
        *k = k1.or(*k2);
        *v = T::select(*k2, *v2, v1.xor(*a));
    }
}

#[inline(always)]
fn free<T: Lanes, O: Observer<T>>(known: &[T], value: &[T], x: &mut [T], observer: &mut O) {
    for ((x, known), value) in x.iter_mut().zip(known).zip(value) {
        *x = *value;
        observer.free_cells(*known, u64::MAX, x);
    }
}

#[inline(always)]
fn full<T: Lanes, O: Observer<T>>(known: &[T], value: &[T], message: &[T], x: &mut [T], observer: &mut O) {
    transform_into(message, x);
    for ((x, known), value) in x.iter().zip(known).zip(value) {
        observer.conflict(*known, known.and(x.xor(*value)));
    }
}

/// `x = message G` over whole words.
#[inline(always)]
fn transform_into<T: Lanes>(message: &[T], x: &mut [T]) {
    for (x, message) in x.iter_mut().zip(message) {
        *x = transform_64(*message);
    }
    let mut stride = 1;
    while stride < x.len() {
        for block in x.chunks_exact_mut(2 * stride) {
            let (a, b) = block.split_at_mut(stride);
            for (a, b) in a.iter_mut().zip(b) {
                *a = a.xor(*b);
            }
        }
        stride *= 2;
    }
}

/// The first message bit is the parity of the codeword: free the lowest unknown cell to set it.
#[inline(always)]
fn parity<T: Lanes, O: Observer<T>>(known: &[T], value: &[T], message: &[T], x: &mut [T], observer: &mut O) {
    let all = T::splat(u64::MAX);
    let (mut sum, mut determined) = (T::splat(0), T::splat(1));
    for ((x, known), value) in x.iter_mut().zip(known).zip(value) {
        let unknown = all.minus(*known);
        let reserved = lowest(unknown).and(determined.negate());
        *x = *value;
        observer.free_cells(known.or(reserved), u64::MAX, x);
        sum = sum.xor(*x);
        determined = determined.minus(any(unknown));
    }
    let mut wrong = parity_64(sum).xor(message[0]).and(T::splat(1));
    for (x, known) in x.iter_mut().zip(known) {
        let unknown = all.minus(*known);
        *x = x.xor(lowest(unknown).and(wrong.negate()));
        wrong = wrong.minus(any(unknown));
    }
    observer.conflict(determined, wrong);
}

/// The last position inverts the whole codeword: the lowest known cell decides it.
#[inline(always)]
fn repetition<T: Lanes, O: Observer<T>>(
    known: &[T],
    value: &[T],
    message: &[T],
    x: &mut [T],
    observer: &mut O,
) {
    transform_into(message, x);
    let (mut invert, mut undecided) = (T::splat(0), T::splat(1));
    for ((x, known), value) in x.iter().zip(known).zip(value) {
        let differs = any(lowest(*known).and(x.xor(*value)));
        invert = invert.or(undecided.and(differs));
        undecided = undecided.minus(any(*known));
    }
    invert = invert.xor(observer.free_repetition(undecided).and(undecided));
    for ((x, known), value) in x.iter_mut().zip(known).zip(value) {
        *x = x.xor(invert.negate());
        observer.conflict(*known, known.and(x.xor(*value)));
    }
}
