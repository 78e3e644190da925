//! The MLC cell as a state machine (`seal`, section III and figure 3): the effect of programming
//! one bit of a cell, and the safe orders of programming the two pages of a word line.
//!
//! The figure is a picture that the paper's text does not carry. The states and numbers here are
//! reconstructed from the text. There are five states. Transitions 0, 1, 3 program a low page in
//! order and 2, 4, 5 the high page after it. Transitions 6 and 11 do not take the programmed bit; 7
//! disturbs the low bit while the high one is programmed.

/// A state, in ascending order of threshold voltage but for [`State::Intermediate`], which lies
/// between `P1` and `P2` and is only left by programming the high page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    /// Erased: low bit 1, high bit 1.
    Erased,
    /// Low bit programmed, high page not yet: 0, 1.
    Intermediate,
    /// Low bit 1, high bit 0.
    P1,
    /// Low bit 0, high bit 0.
    P2,
    /// Low bit 0, high bit 1: the highest voltage.
    P3,
}

/// One of the two pages that share a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Page {
    /// The low page, meant to be programmed first.
    Low,
    /// The high page.
    High,
}

/// The effect of a program operation on the bits of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// The programmed bit reads as asked, the other bit as before.
    Stored,
    /// The programmed bit does not read as asked.
    NotTaken,
    /// The other page's bit changed.
    Disturbed,
}

/// A program operation on one bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transition {
    /// Number in figure 3; `None` for a 1 that asks for no change of a finished cell, which the
    /// figure does not draw.
    pub number: Option<u8>,
    /// The state afterwards.
    pub next: State,
    /// Its effect on the bits.
    pub effect: Effect,
}

impl State {
    /// All states.
    pub const ALL: [State; 5] = [State::Erased, State::Intermediate, State::P1, State::P2, State::P3];

    /// The bit of `page` as it reads.
    pub fn bit(self, page: Page) -> bool {
        let (low, high) = match self {
            State::Erased => (true, true),
            State::Intermediate | State::P3 => (false, true),
            State::P1 => (true, false),
            State::P2 => (false, false),
        };
        match page {
            Page::Low => low,
            Page::High => high,
        }
    }

    /// Programs `bit` on `page`. A 1 asks for no charge; a 0 asks for charge.
    pub fn program(self, page: Page, bit: bool) -> Transition {
        use Page::{High, Low};
        use State::{Erased, Intermediate, P1, P2, P3};
        let (number, next) = match (self, page, bit) {
            (Erased, _, true) => (Some(0), Erased),
            (Erased, Low, false) => (Some(1), Intermediate),
            (Erased, High, false) => (Some(2), P1),
            (Intermediate, Low, _) => (Some(3), Intermediate),
            (Intermediate, High, false) => (Some(4), P2),
            (Intermediate, High, true) => (Some(5), P3),
            (P1, Low, false) => (Some(6), P1),
            (P1, High, false) => (Some(7), P2),
            (P2, Low, false) => (Some(8), P2),
            (P2, High, false) => (Some(9), P2),
            (P3, Low, false) => (Some(10), P3),
            (P3, High, false) => (Some(11), P3),
            (P1 | P2 | P3, _, true) => (None, self),
        };
        let other = if page == Low { High } else { Low };
        let effect = if next.bit(other) != self.bit(other) {
            Effect::Disturbed
        } else if next.bit(page) != bit {
            Effect::NotTaken
        } else {
            Effect::Stored
        };
        Transition { number, next, effect }
    }
}

/// A page-level model's memory of a word line: enough to refuse every order that could
/// corrupt data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct WordLine {
    high_programmed: bool,
}

/// Why a program operation was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Transition 6: low bits would keep their 1.
    #[error(
        "the high page is programmed, so programming the low page could lose bits; erase the block first"
    )]
    LowAfterHigh,
    /// Transitions 7 and 11: low bits would be disturbed, and high bits keep their 1.
    #[error(
        "the high page is programmed already, and programming it again could corrupt both pages; erase the block first"
    )]
    HighTwice,
}

impl WordLine {
    /// Programs `page`: low pages as often as their data only clears bits, until the high page is
    /// programmed once.
    ///
    /// # Errors
    /// A [`Refusal`] for any order under which some data would be corrupted.
    pub fn program(&mut self, page: Page) -> Result<(), Refusal> {
        match (page, self.high_programmed) {
            (Page::Low, true) => Err(Refusal::LowAfterHigh),
            (Page::High, true) => Err(Refusal::HighTwice),
            (Page::Low, false) => Ok(()),
            (Page::High, false) => {
                self.high_programmed = true;
                Ok(())
            }
        }
    }

    /// Erases the word line.
    pub fn erase(&mut self) {
        *self = WordLine::default();
    }
}

/// Looks through all data for a cell that programming the pages in this `order` corrupts, where
/// each page's data only ever clears bits (the WOM constraint). Returns the bits of the shortest
/// such run, or `None` if the order is safe.
pub fn find_corruption(order: &[Page]) -> Option<Vec<bool>> {
    let mut runs = vec![(State::Erased, Vec::new())];
    for &page in order {
        let mut next_runs = Vec::new();
        for (state, bits) in &runs {
            for bit in [true, false] {
                if bit && !state.bit(page) {
                    continue;
                }
                let transition = state.program(page, bit);
                let mut bits = bits.clone();
                bits.push(bit);
                if transition.effect != Effect::Stored {
                    return Some(bits);
                }
                next_runs.push((transition.next, bits));
            }
        }
        runs = next_runs;
    }
    None
}

/// The cells of eight neighbours at once that programming `data` on `page` would corrupt, a bit
/// each: cells for which [`State::program`] has another effect than [`Effect::Stored`]. `low` and
/// `high` are the bits as they read. `high_programmed` tells the two states with low bit 0 and high
/// bit 1 apart: [`State::Intermediate`] before the high page was programmed, [`State::P3`] after.
pub fn corrupted_cells(low: u8, high: u8, high_programmed: bool, page: Page, data: u8) -> u8 {
    match page {
        // A 1 where a 0 lies; transition 6.
        Page::Low => (data & !low) | (!data & low & !high),
        // A 1 where a 0 lies; transitions 7 and 11.
        Page::High => {
            let finished = if high_programmed { 0xff } else { 0 };
            (data & !high) | (!data & low & !high) | (!data & !low & high & finished)
        }
    }
}
