//! Pieces of logical pages, to and from a translation layer. `page` is room for a page.

use rewear_flash::Nanos;
use rewear_ftl::host::{Command, Content, Coverage, HostWrite};
use rewear_ftl::{Ftl, Lpn};
use rewear_trace::Piece;

use crate::error::LiveError;

/// Reads a piece of a page; returns the simulated end.
#[inline]
pub(crate) fn read(
    (ftl, page): (&mut Ftl, &mut [u8]),
    at: Nanos,
    (lpn, piece): (Lpn, &Piece),
    into: &mut [u8],
) -> Result<Nanos, LiveError> {
    let end = ftl.read(at, lpn)?;
    if piece.in_page.len() == page.len() {
        ftl.read_bytes(lpn, into)?;
    } else {
        ftl.read_bytes(lpn, page)?;
        into.copy_from_slice(&page[piece.in_page.clone()]);
    }
    Ok(end)
}

/// Writes a piece of a page; returns the simulated end.
#[inline]
pub(crate) fn write(
    (ftl, page): (&mut Ftl, &mut [u8]),
    at: Nanos,
    (lpn, piece): (Lpn, &Piece),
    data: &[u8],
    command: Command,
) -> Result<Nanos, LiveError> {
    // A byte range counts as the whole sectors that a recording of it has.
    let whole = piece.in_sectors().len() == page.len();
    let coverage = if whole { Coverage::Whole } else { Coverage::Part };
    let content = if piece.in_page.len() == page.len() {
        data
    } else {
        ftl.read_bytes(lpn, page)?;
        page[piece.in_page.clone()].copy_from_slice(data);
        page
    };
    Ok(ftl.write(at, lpn, HostWrite { coverage, command, content: Content::Page(content) })?)
}
