//! Encoding of a page, and memory for it.

use super::code::{Plan, PolarWom};
use super::sc::{Buffers, run};
use crate::CodeError;
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
    fn check(&self, code: &PolarWom) -> Result<(), CodeError> {
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
    buffers: Buffers,
    /// The whitened message and one word more.
    dense: Vec<u64>,
    scratch: Vec<u64>,
}

impl Workspace {
    /// Memory for `code`.
    pub fn new(code: &PolarWom) -> Workspace {
        let words = code.cell_words();
        let dense = vec![0; code.message_words() + 1];
        Workspace { buffers: Buffers::new(words), dense, scratch: vec![0; words] }
    }

    /// Makes an attempt and sets its results.
    ///
    /// # Errors
    /// [`CodeError::Size`] or [`CodeError::Range`] when the attempt does not fit `code`,
    /// [`CodeError::Parameters`] when the workspace is another code's; nothing is encoded then. A
    /// conflict is no error.
    pub fn encode(&mut self, code: &PolarWom, attempt: &mut Attempt<'_>) -> Result<(), CodeError> {
        self.check(code)?;
        attempt.check(code)?;
        let Workspace { buffers, dense, .. } = self;
        let message = &mut dense[..attempt.message.len()];
        message.copy_from_slice(attempt.message);
        Keystream::new(attempt.address, attempt.attempt.into()).apply(message);
        code.positions.deposit(dense, &mut buffers.message);
        let words = code.cell_words();
        code.rotate_in(attempt.programmed, attempt.rotation, &mut buffers.known[..words]);
        // Every programmed cell reads 1.
        buffers.value[..words].copy_from_slice(&buffers.known[..words]);
        attempt.success = run(&code.steps, &code.positions.mask, buffers);
        code.rotate_out(&buffers.x, attempt.rotation, attempt.cells);
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

    fn check(&self, code: &PolarWom) -> Result<(), CodeError> {
        if self.scratch.len() == code.cell_words() && self.dense.len() == code.message_words() + 1 {
            return Ok(());
        }
        let problem =
            "this workspace was made for another code; make one with Workspace::new(&code)".to_owned();
        Err(CodeError::Parameters { code: "polar WOM", problem })
    }
}
