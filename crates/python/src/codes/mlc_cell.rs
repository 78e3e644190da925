//! The MLC cell as a state machine.

use pyo3::prelude::*;
use rewear_codes::mlc_cell::{self, Effect, Page, State};

use crate::errors::{code_error, guarded};

/// Programs `bit` on `page` ("low" or "high") of an MLC cell in `state` ("erased", "intermediate",
/// "p1", "p2", "p3"): the number of the transition in `seal`, figure 3 (`None` for a 1 on a
/// finished cell), the state afterwards, and "stored", "not-taken" (the bit does not read as asked)
/// or "disturbed" (the other page's bit changed).
///
/// Raises:
///     CodeError: No such state or page.
#[pyfunction]
pub(super) fn program_mlc_cell(
    state: &str,
    page: &str,
    bit: bool,
) -> PyResult<(Option<u8>, &'static str, &'static str)> {
    let state = State::ALL.into_iter().find(|known| state_name(*known) == state).ok_or_else(|| {
        code_error(format!("There is no state {state:?}; choose erased, intermediate, p1, p2 or p3."))
    })?;
    let transition = state.program(parse_page(page)?, bit);
    let effect = match transition.effect {
        Effect::Stored => "stored",
        Effect::NotTaken => "not-taken",
        Effect::Disturbed => "disturbed",
    };
    Ok((transition.number, state_name(transition.next), effect))
}

/// Longer orders than this have more runs than anyone can look through.
const MAX_ORDER: usize = 16;

/// The bits of the shortest run that programming the pages in this `order` corrupts, where data
/// only ever clears bits; `None` if the order is safe.
///
/// Raises:
///     CodeError: No such page, or more than 16 programs.
#[pyfunction]
pub(super) fn find_mlc_corruption(order: Vec<String>) -> PyResult<Option<Vec<bool>>> {
    if order.len() > MAX_ORDER {
        return Err(code_error(format!("{} programs in a row; choose at most {MAX_ORDER}", order.len())));
    }
    let order = order.iter().map(|page| parse_page(page)).collect::<PyResult<Vec<Page>>>()?;
    guarded(|| Ok(mlc_cell::find_corruption(&order)))
}

/// A page-level model's memory of a word line: enough to refuse every order that could
/// corrupt data.
#[pyclass(module = "rewear.codes")]
#[derive(Default)]
pub(super) struct MlcWordLine {
    word_line: mlc_cell::WordLine,
}

#[pymethods]
impl MlcWordLine {
    /// An erased word line.
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Programs a page, "low" or "high".
    ///
    /// Raises:
    ///     CodeError: Some data would be corrupted; or there is no such page.
    fn program(&mut self, page: &str) -> PyResult<()> {
        self.word_line.program(parse_page(page)?).map_err(code_error)
    }

    /// Erases the word line.
    fn erase(&mut self) {
        self.word_line.erase();
    }
}

fn parse_page(name: &str) -> PyResult<Page> {
    match name {
        "low" => Ok(Page::Low),
        "high" => Ok(Page::High),
        _ => Err(code_error(format!("There is no page {name:?}; choose low or high."))),
    }
}

fn state_name(state: State) -> &'static str {
    match state {
        State::Erased => "erased",
        State::Intermediate => "intermediate",
        State::P1 => "p1",
        State::P2 => "p2",
        State::P3 => "p3",
    }
}
