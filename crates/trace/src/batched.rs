//! What a recording would be if a file were written in batches: several flushes become one.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use crate::compact::owners::OwnerKind;
use crate::compact::writer::CompactWriter;
use crate::error::{ErrorKind, TraceError};
use crate::info::INFO_PAGE_BYTES;
use crate::operation::Operation;
use crate::request::{Batch, Fingerprint, Request};
use crate::source::Source;
use crate::who_writes::{Runs, told_of};

/// Whose a request is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// All of it the file's.
    File,
    /// All of it the journal's or metadata.
    Committed,
    Other,
}

struct Held {
    request: Request,
    content: Option<Vec<Fingerprint>>,
    part: Part,
    /// Flushes of the file before it, in its batch.
    turn: u64,
    /// Whether the file was written before the flush that ends its stretch, and so forced it.
    forced: bool,
}

/// Writes to `out` the recording at `path` as if the program wrote `file` in batches of `by` flushes.
/// Of the writes of a page of the file the last of a batch stays, of the journal's and of metadata's
/// writes those of the last flush, and of flushes the last. All other requests stay, and so do
/// flushes and commits that other files force: between two flushes these were written, and the file
/// was not. A file that is written anew each time (`anew`) lies elsewhere each time: only its writes
/// of the last flush stay. Returns the requests that are left; `None` of a recording that does not
/// tell who wrote.
///
/// # Errors
/// A recording that cannot be read, and those of the output.
pub fn batched<W: Write>(
    path: &Path,
    file: &str,
    by: u64,
    anew: bool,
    out: W,
) -> Result<Option<u64>, TraceError> {
    let Some((mut source, told)) = told_of(path)? else { return Ok(None) };
    let part = |kind, name: &str| match kind {
        OwnerKind::File if name == file => Part::File,
        OwnerKind::Journal | OwnerKind::Metadata => Part::Committed,
        OwnerKind::File | OwnerKind::Free => Part::Other,
    };
    let parts: Vec<Part> = told.owners.iter().map(|owner| part(owner.kind, &owner.name)).collect();
    let mut runs = Runs::new(told.runs, parts.len() as u32);
    let mut writer = CompactWriter::new(out, "batched", 0).map_err(failed)?;
    let (mut held, mut turn, mut dirty, mut left) = (Vec::<Held>::new(), 0, false, 0);
    // The stretch since the last flush: where it begins, whether others were written, who forced the one before.
    let (mut stretch, mut others, mut forced) = (0, false, true);
    let mut batch = Batch::default();
    while source.fill(&mut batch)? > 0 {
        for request in &batch.requests {
            let mut part = None;
            if request.operation.is_write() || request.operation == Operation::Trim {
                let mut rest = request.length_bytes;
                while rest > 0 {
                    let (owner, bytes) = runs.next(rest);
                    let of = parts.get(owner as usize).copied().unwrap_or(Part::Other);
                    part = Some(if part.is_none_or(|part| part == of) { of } else { Part::Other });
                    rest -= bytes;
                }
            }
            let part = part.filter(|_| request.operation.is_write()).unwrap_or(Part::Other);
            dirty |= part == Part::File;
            others |= part == Part::Other && request.operation.is_write();
            let content = batch.content_of(request).map(<[_]>::to_vec);
            held.push(Held { request: *request, content, part, turn, forced });
            if request.operation == Operation::Flush {
                // The second flush of a commit, behind its record, goes with the first.
                forced = dirty || (forced && !others);
                held[stretch..].iter_mut().for_each(|each| each.forced = forced);
                turn += u64::from(dirty);
                (dirty, others, stretch) = (false, false, held.len());
            }
            if turn == by {
                left += write(&held, by, anew, &mut writer).map_err(failed)?;
                held.clear();
                (turn, stretch) = (0, 0);
            }
        }
    }
    let turns = if dirty { turn + 1 } else { turn.max(1) };
    left += write(&held, turns, anew, &mut writer).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(Some(left))
}

/// Writes what stays of a batch that ends with flush `turns`.
fn write<W: Write>(held: &[Held], turns: u64, anew: bool, writer: &mut CompactWriter<W>) -> io::Result<u64> {
    let pages = |each: &Held| each.request.pages(INFO_PAGE_BYTES);
    let of_file = held.iter().enumerate().filter(|(_, each)| each.part == Part::File);
    let last: BTreeMap<u64, usize> =
        of_file.flat_map(|(index, each)| pages(each).map(move |page| (page, index))).collect();
    let mut left = 0;
    for (index, each) in held.iter().enumerate() {
        let is_last = each.turn + 1 >= turns;
        let stays = match each.part {
            Part::File if anew => is_last,
            Part::File => pages(each).any(|page| last.get(&page) == Some(&index)),
            Part::Committed => is_last || !each.forced,
            Part::Other => is_last || !each.forced || each.request.operation != Operation::Flush,
        };
        if stays {
            writer.push(&each.request, each.content.as_deref())?;
            left += 1;
        }
    }
    Ok(left)
}

fn failed(error: io::Error) -> TraceError {
    let problem = format!("the batched recording cannot be written ({error})");
    TraceError::new(ErrorKind::Io, problem, "check the space of the folder for temporary files")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test may stop where it stands

    use super::*;
    use crate::{Info, OpenOptions, Owner, info, open};

    /// 64 times: a page of the file, one of another, two of the journal, a flush.
    fn recording(path: &Path) {
        let mut writer = CompactWriter::new(std::fs::File::create(path).unwrap(), "", 0).unwrap();
        for (kind, name) in [(OwnerKind::File, "/db"), (OwnerKind::File, "/x"), (OwnerKind::Journal, "")] {
            writer.owner(Owner { kind, name: name.to_owned() });
        }
        for turn in 0..64 {
            for (owner, page, pages) in [(0, 5, 1), (1, 6, 1), (2, 100 + 2 * turn, 2)] {
                let request = Request::new(turn, Operation::Write, page * 4096, pages * 4096);
                writer.push(&request, None).unwrap();
                writer.owned(owner, pages * 4096).unwrap();
            }
            writer.push(&Request::flush(turn), None).unwrap();
        }
        writer.finish().unwrap();
    }

    fn of(path: &Path) -> Info {
        info(&mut *open(path, &OpenOptions::default()).unwrap()).unwrap()
    }

    #[test]
    fn a_batch_has_the_last_write_of_a_page_and_one_commit() {
        let folder = tempfile::tempdir().unwrap();
        let (path, out) = (folder.path().join("a.rwt"), folder.path().join("b.rwt"));
        recording(&path);
        // The last of the batches of 24 has 16 flushes.
        for (by, flushes) in [(1, 64), (16, 4), (64, 1), (24, 3)] {
            let left =
                batched(&path, "/db", by, false, std::fs::File::create(&out).unwrap()).unwrap().unwrap();
            let found = of(&out);
            assert_eq!((found.requests, found.flushes), (left, flushes), "batches of {by}");
            assert_eq!(found.write.pages, flushes + 64 + 2 * flushes, "batches of {by}");
        }
        batched(&path, "/other", 16, false, std::fs::File::create(&out).unwrap()).unwrap();
        assert_eq!(of(&out).requests, 4 * 64, "a file that is not there changes nothing");
    }

    #[test]
    fn commits_that_another_file_forces_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (path, out) = (folder.path().join("a.rwt"), folder.path().join("b.rwt"));
        let mut writer = CompactWriter::new(std::fs::File::create(&path).unwrap(), "", 0).unwrap();
        for (kind, name) in [(OwnerKind::File, "/db"), (OwnerKind::File, "/x"), (OwnerKind::Journal, "")] {
            writer.owner(Owner { kind, name: name.to_owned() });
        }
        for turn in 0..64 {
            // Each in turn: a page, a flush, the commit's page behind it, its flush.
            for owner in [0, 1] {
                for (of, page) in [(owner, 5 + u64::from(owner)), (2, 100 + turn)] {
                    writer.push(&Request::new(turn, Operation::Write, page * 4096, 4096), None).unwrap();
                    writer.owned(of, 4096).unwrap();
                    writer.push(&Request::flush(turn), None).unwrap();
                }
            }
        }
        writer.finish().unwrap();
        batched(&path, "/db", 16, false, std::fs::File::create(&out).unwrap()).unwrap();
        let found = of(&out);
        // All of the other's 64 pages, commits and flushes; four of the file's, with the commit behind
        // a batch in the next one.
        assert!((64 + 64 + 4..=64 + 64 + 4 + 8).contains(&found.write.pages), "{}", found.write.pages);
        assert!((128 + 4..=128 + 12).contains(&found.flushes), "{}", found.flushes);
    }

    #[test]
    fn of_a_file_that_is_written_anew_the_last_version_of_a_batch_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (path, out) = (folder.path().join("a.rwt"), folder.path().join("b.rwt"));
        let mut writer = CompactWriter::new(std::fs::File::create(&path).unwrap(), "", 0).unwrap();
        writer.owner(Owner { kind: OwnerKind::File, name: "/state".to_owned() });
        for turn in 0..64 {
            writer.push(&Request::new(turn, Operation::Write, turn * 8192, 8192), None).unwrap();
            writer.owned(0, 8192).unwrap();
            writer.push(&Request::flush(turn), None).unwrap();
        }
        writer.finish().unwrap();
        for (anew, pages) in [(false, 128), (true, 8)] {
            batched(&path, "/state", 16, anew, std::fs::File::create(&out).unwrap()).unwrap();
            assert_eq!((of(&out).write.pages, of(&out).flushes), (pages, 4));
        }
    }
}
