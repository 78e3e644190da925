//! Encoding: one page, or several pages side by side in the lanes of vector registers.

use super::code::{Plan, PolarWom};
#[cfg(target_arch = "x86_64")]
use super::lanes::{Avx2Lanes, Avx512Lanes};
use super::lanes::{Lanes, MAX_LANES};
#[cfg(target_arch = "x86_64")]
use super::pair::Pair;
use super::sc::{Buffers, Conflicts, run};
use crate::CodeError;
use crate::isa::{Isa, Level};
use crate::keystream::Keystream;

/// One message to write on one set of cells.
#[derive(Debug)]
pub struct Attempt<'a> {
    /// The programmed cells, [`PolarWom::cell_words`] long, in physical order.
    pub programmed: &'a [u64],
    /// The message, [`PolarWom::message_words`] long; bits past the message are ignored.
    pub message: &'a [u64],
    /// The physical address the message is whitened with.
    pub address: u64,
    /// The attempt the keystream is drawn for, below [`super::ATTEMPTS`].
    pub attempt: u8,
    /// The attempt the words are rotated for: `attempt` itself, or 0 to retry with a new dither
    /// only.
    pub rotation: u8,
    /// Result: the cells to program, [`PolarWom::cell_words`] long. After a conflict it holds some
    /// bitmap that must not be programmed.
    pub cells: &'a mut [u64],
    /// Result: whether `cells` keeps every programmed cell and reads back as the message.
    pub success: bool,
}

impl Attempt<'_> {
    pub(super) fn check(&self, code: &PolarWom) -> Result<(), CodeError> {
        code.check_words("the bitmap of cells", self.programmed.len(), code.cell_words())?;
        code.check_words("the result", self.cells.len(), code.cell_words())?;
        code.check_words("the message", self.message.len(), code.message_words())?;
        code.check_attempt(self.attempt)?;
        code.check_attempt(self.rotation)
    }
}

/// Memory for encodings with one code; no call allocates.
#[derive(Clone)]
pub struct Workspace {
    pub(super) one: Buffers<u64>,
    pub(super) many: Many,
    pub(super) dense: Vec<u64>,
    pub(super) scratch: Vec<u64>,
    pub(super) isa: Isa,
}

/// Buffers for pages side by side: in one register, and in two.
#[derive(Clone)]
pub(super) enum Many {
    /// No vector registers: one page at a time.
    None,
    #[cfg(target_arch = "x86_64")]
    Avx2(Buffers<Avx2Lanes>, Buffers<Pair<Avx2Lanes>>),
    #[cfg(target_arch = "x86_64")]
    Avx512(Buffers<Avx512Lanes>, Buffers<Pair<Avx512Lanes>>),
}

impl Workspace {
    /// Memory for `code`.
    pub fn new(code: &PolarWom) -> Workspace {
        let words = code.cell_words();
        let many = match code.isa.0 {
            Level::Portable => Many::None,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => Many::Avx2(Buffers::new(words), Buffers::new(words)),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => Many::Avx512(Buffers::new(words), Buffers::new(words)),
        };
        let dense = vec![0; (code.message_words() + 1) * MAX_LANES];
        Workspace { one: Buffers::new(words), many, dense, scratch: vec![0; words], isa: code.isa }
    }

    /// Pages that [`Workspace::encode`] works on side by side.
    pub fn batch(&self) -> usize {
        match &self.many {
            Many::None => 1,
            #[cfg(target_arch = "x86_64")]
            Many::Avx2(..) => Pair::<Avx2Lanes>::COUNT,
            #[cfg(target_arch = "x86_64")]
            Many::Avx512(..) => Pair::<Avx512Lanes>::COUNT,
        }
    }

    /// Makes all `attempts` and sets their results. Fastest in multiples of [`Workspace::batch`].
    ///
    /// # Errors
    /// [`CodeError::Size`] or [`CodeError::Range`] when an attempt does not fit `code`,
    /// [`CodeError::Parameters`] when the workspace is another code's; nothing is encoded then. A
    /// conflict is no error.
    pub fn encode(&mut self, code: &PolarWom, attempts: &mut [Attempt<'_>]) -> Result<(), CodeError> {
        self.check(code)?;
        for attempt in attempts.iter() {
            attempt.check(code)?;
        }
        let mut batches = attempts.chunks_mut(self.batch());
        for batch in &mut batches {
            if batch.len() == 1 {
                self.encode_one(code, batch);
                continue;
            }
            match &mut self.many {
                Many::None => {}
                // SAFETY (both): the workspace has these buffers only where the processor has the
                // instructions.
                #[cfg(target_arch = "x86_64")]
                Many::Avx2(few, many) => unsafe {
                    if batch.len() <= Avx2Lanes::COUNT {
                        encode_avx2(code, few, &mut self.dense, batch)
                    } else {
                        encode_avx2(code, many, &mut self.dense, batch)
                    }
                },
                #[cfg(target_arch = "x86_64")]
                Many::Avx512(few, many) => unsafe {
                    if batch.len() <= Avx512Lanes::COUNT {
                        encode_avx512(code, few, &mut self.dense, batch)
                    } else {
                        encode_avx512(code, many, &mut self.dense, batch)
                    }
                },
            }
        }
        Ok(())
    }

    /// [`PolarWom::determined`] without allocation.
    ///
    /// # Errors
    /// As [`PolarWom::determined`], and [`CodeError::Parameters`] when the workspace is another
    /// code's.
    pub fn determined(
        &mut self,
        code: &PolarWom,
        programmed: &[u64],
        attempt: u8,
    ) -> Result<usize, CodeError> {
        self.check(code)?;
        code.check_words("the bitmap of cells", programmed.len(), code.cell_words())?;
        code.check_attempt(attempt)?;
        Ok(code.count_determined(programmed, attempt, &mut self.scratch))
    }

    /// [`PolarWom::plan`] without allocation.
    ///
    /// # Errors
    /// As [`PolarWom::plan`], and [`CodeError::Parameters`] when the workspace is another code's.
    pub fn plan(&mut self, code: &PolarWom, programmed: &[u64], attempts: u8) -> Result<Plan, CodeError> {
        self.check(code)?;
        code.plan_into(programmed, attempts, &mut self.scratch)
    }

    /// [`PolarWom::decode`] without allocation.
    ///
    /// # Errors
    /// As [`PolarWom::decode`], and [`CodeError::Parameters`] when the workspace is another code's.
    pub fn decode(
        &mut self,
        code: &PolarWom,
        cells: &[u64],
        address: u64,
        attempt: u8,
        message: &mut [u64],
    ) -> Result<(), CodeError> {
        self.decode_rotated(code, cells, address, attempt, attempt, message)
    }

    /// [`Workspace::decode`] of an attempt whose rotation is another attempt's
    /// ([`super::Retry::Dither`]: that of attempt 0).
    ///
    /// # Errors
    /// As [`Workspace::decode`].
    pub fn decode_rotated(
        &mut self,
        code: &PolarWom,
        cells: &[u64],
        address: u64,
        attempt: u8,
        rotation: u8,
        message: &mut [u64],
    ) -> Result<(), CodeError> {
        self.check(code)?;
        code.check_attempt(attempt)?;
        code.check_decode(cells, rotation, message)?;
        code.decode_into(
            cells,
            Keystream::new(address, attempt.into()),
            rotation,
            &mut self.scratch,
            message,
        );
        Ok(())
    }

    pub(super) fn check(&self, code: &PolarWom) -> Result<(), CodeError> {
        if self.scratch.len() == code.cell_words()
            && self.dense.len() == (code.message_words() + 1) * MAX_LANES
            && self.isa == code.isa
        {
            return Ok(());
        }
        let problem =
            "this workspace was made for another code; make one with Workspace::new(&code)".to_owned();
        Err(CodeError::Parameters { code: "polar WOM", problem })
    }

    fn encode_one(&mut self, code: &PolarWom, batch: &mut [Attempt<'_>]) {
        match self.isa.0 {
            Level::Portable => encode_lanes(code, &mut self.one, &mut self.dense, batch),
            // SAFETY: every level above the portable one has BMI2.
            #[cfg(target_arch = "x86_64")]
            _ => unsafe { encode_scalar(code, &mut self.one, &mut self.dense, batch) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn encode_scalar(code: &PolarWom, buffers: &mut Buffers<u64>, dense: &mut [u64], batch: &mut [Attempt<'_>]) {
    encode_lanes(code, buffers, dense, batch);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi2,popcnt")]
fn encode_avx2<T: Lanes>(
    code: &PolarWom,
    buffers: &mut Buffers<T>,
    dense: &mut [u64],
    batch: &mut [Attempt<'_>],
) {
    encode_lanes(code, buffers, dense, batch);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi2,popcnt")]
fn encode_avx512<T: Lanes>(
    code: &PolarWom,
    buffers: &mut Buffers<T>,
    dense: &mut [u64],
    batch: &mut [Attempt<'_>],
) {
    encode_lanes(code, buffers, dense, batch);
}

/// Encodes at most `T::COUNT` attempts; lanes without one keep what they held.
#[inline(always)]
fn encode_lanes<T: Lanes>(
    code: &PolarWom,
    buffers: &mut Buffers<T>,
    dense: &mut [u64],
    batch: &mut [Attempt<'_>],
) {
    load(code, buffers, dense, batch);
    let mut conflicts = Conflicts(T::splat(0));
    run(&code.steps, &code.positions.mask, buffers, &mut conflicts);
    unload(code, buffers, batch);
    for (lane, attempt) in batch.iter_mut().enumerate() {
        attempt.success = conflicts.0.get(lane) == 0;
    }
}

/// Sets the root's known cells and values and the message of every lane. Lanes beyond the batch
/// repeat its last attempt.
///
/// Works word by word over all lanes: the buffers of eight pages do not fit the first-level cache,
/// so every line of them should be visited once.
#[inline(always)]
pub(super) fn load<T: Lanes>(
    code: &PolarWom,
    buffers: &mut Buffers<T>,
    dense: &mut [u64],
    batch: &[Attempt<'_>],
) {
    let dense_words = code.message_words() + 1;
    for (attempt, dense) in batch.iter().zip(dense.chunks_exact_mut(dense_words)) {
        let dense = &mut dense[..attempt.message.len()];
        dense.copy_from_slice(attempt.message);
        Keystream::new(attempt.address, attempt.attempt.into()).apply(dense);
    }
    let last = batch.len() - 1;
    let messages: [&[u64]; MAX_LANES] =
        std::array::from_fn(|lane| &dense[lane.min(last) * dense_words..][..dense_words]);
    code.positions.deposit(code.isa, &messages, &mut buffers.message);
    let programmed: [&[u64]; MAX_LANES] = std::array::from_fn(|lane| batch[lane.min(last)].programmed);
    let words = code.cell_words();
    let shifts: [usize; MAX_LANES] = std::array::from_fn(|lane| code.shift(batch[lane.min(last)].rotation));
    let known = buffers.known[..words].chunks_mut(T::COUNT);
    for (chunk, (known, value)) in known.zip(buffers.value.chunks_mut(T::COUNT)).enumerate() {
        if known.len() < T::COUNT {
            for (i, known) in known.iter_mut().enumerate() {
                *known = T::from_lanes(|lane| programmed[lane][code.physical(i, shifts[lane])]);
            }
        } else {
            for (lane, row) in known.iter_mut().enumerate() {
                let i = chunk * T::COUNT;
                *row = match code.physical_run(i, T::COUNT, shifts[lane]) {
                    Some(at) => T::load(&programmed[lane][at..]),
                    None => T::from_lanes(|next| programmed[lane][code.physical(i + next, shifts[lane])]),
                };
            }
            T::transpose(known);
        }
        // Every programmed cell reads 1.
        value[..known.len()].copy_from_slice(known);
    }
}

/// Gives every attempt its codeword, in physical order.
#[inline(always)]
pub(super) fn unload<T: Lanes>(code: &PolarWom, buffers: &Buffers<T>, batch: &mut [Attempt<'_>]) {
    let last = batch.len() - 1;
    let shifts: [usize; MAX_LANES] = std::array::from_fn(|lane| code.shift(batch[lane.min(last)].rotation));
    let mut block = [T::splat(0); MAX_LANES];
    let mut row = [0; MAX_LANES];
    for (chunk, x) in buffers.x.chunks(T::COUNT).enumerate() {
        let i = chunk * T::COUNT;
        if x.len() < T::COUNT {
            for (lane, attempt) in batch.iter_mut().enumerate() {
                for (next, x) in x.iter().enumerate() {
                    attempt.cells[code.physical(next, shifts[lane])] = x.get(lane);
                }
            }
            continue;
        }
        block[..T::COUNT].copy_from_slice(x);
        T::transpose(&mut block[..T::COUNT]);
        for (lane, (attempt, words)) in batch.iter_mut().zip(block).enumerate() {
            match code.physical_run(i, T::COUNT, shifts[lane]) {
                Some(at) => words.store(&mut attempt.cells[at..]),
                None => {
                    words.store(&mut row);
                    for (next, word) in row[..T::COUNT].iter().enumerate() {
                        attempt.cells[code.physical(i + next, shifts[lane])] = *word;
                    }
                }
            }
        }
    }
}
