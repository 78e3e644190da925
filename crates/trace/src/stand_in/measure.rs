//! Measures the profile of a trace: one pass for the runs and the levels of activity, one for
//! everything else.

use super::counts::Counts;
use super::pace::{Moments, Quartiles};
use super::place::is_large;
use super::profile::{PAGE_BYTES, Place, Profile};
use super::recent::{Recent, Successor};
use super::runs::{Runs, Shapes, Step};
use super::sites::{Shape, Touch, class_of};
use super::touched::Touched;
use crate::error::{ErrorKind, TraceError};
use crate::operation::Operation;
use crate::pages::SECTOR_BYTES;
use crate::request::{Batch, Request};
use crate::source::Source;

/// Measures the profile of a trace; flushes and empty requests are left out, overwrites are writes.
///
/// # Errors
/// Those of the trace; a trace without reads and writes.
pub fn measure(source: &mut dyn Source) -> Result<Profile, TraceError> {
    let (mut requests, mut paging) = (0, Paging::default());
    let (mut quartiles, mut shapes): (_, [Shapes; 3]) = (Quartiles::new(), Default::default());
    each(source, |request, touch| {
        requests += 1;
        quartiles.arrives(request.at_ns);
        let (first, behind) = paging.pages(request, touch);
        shapes[touch as usize].request(first, behind);
    })?;
    if requests == 0 {
        return Err(TraceError::parameter(
            "there is nothing to measure",
            "name a trace with reads or writes",
        ));
    }
    let mut measuring = Measuring {
        space_pages: 0,
        paging: Paging::default(),
        touched: Touched::default(),
        moments: Moments::new(quartiles.limits()),
        of: shapes.map(|shapes| OfOperation::new(shapes.finish())),
    };
    each(source, |request, touch| measuring.request(request, touch))?;
    let name = source.description().name;
    let stem = name.split('.').next().unwrap_or_default().to_owned();
    let [read, write, trim] = measuring.of.map(|of| of.counts.access());
    Ok(Profile {
        name: stem,
        source: format!("fitted to the trace {name}"),
        requests,
        space_pages: measuring.space_pages,
        content: None,
        arrival: measuring.moments.arrival(),
        read,
        write,
        trim,
    })
}

fn each(source: &mut dyn Source, mut visit: impl FnMut(&Request, Touch)) -> Result<(), TraceError> {
    let mut batch = Batch::default();
    source.rewind()?;
    while source.fill(&mut batch)? > 0 {
        for request in batch.requests.iter().filter(|request| request.length_bytes > 0) {
            if let Some(touch) = operation(request) {
                refuse_long(request)?;
                visit(request, touch);
            }
        }
    }
    source.rewind()
}

/// Sites know their pages one by one; reads and writes are never longer.
fn refuse_long(request: &Request) -> Result<(), TraceError> {
    let longest = Operation::Write.longest_bytes();
    if request.length_bytes <= longest {
        return Ok(());
    }
    let problem = format!("a {} of {} bytes", request.operation.name(), request.length_bytes);
    let remedy =
        format!("leave it out of the trace or cut it up: stand-ins know requests of up to {longest} bytes");
    Err(TraceError::new(ErrorKind::DoesNotFit, problem, remedy))
}

fn operation(request: &Request) -> Option<Touch> {
    match request.operation {
        Operation::Read => Some(Touch::Read),
        Operation::Write | Operation::Overwrite => Some(Touch::Write),
        Operation::Trim => Some(Touch::Trim),
        Operation::Flush | Operation::UpdateHandle => None,
    }
}

/// Turns requests into pages.
#[derive(Clone, Debug, Default)]
struct Paging {
    /// Where the recent requests of an operation ended, in bytes.
    ends: [Recent<u64>; 3],
}

/// Pages of a request from which on it is not counted for the page that it shares with the request
/// before it.
const LARGE_REQUEST_PAGES: u64 = 9;

impl Paging {
    /// The first page of a request and the one behind it. A large one that goes on within a page
    /// leaves that to the request before: otherwise a sequence that is not aligned to pages would
    /// not be one run.
    fn pages(&mut self, request: &Request, touch: Touch) -> (u64, u64) {
        let (start, ends) = (request.offset_bytes, &mut self.ends[touch as usize]);
        let end = start.saturating_add(request.length_bytes);
        let (first, behind) = (start / PAGE_BYTES, end.div_ceil(PAGE_BYTES));
        let goes_on = ends.take(|other| other == start).is_some() && !start.is_multiple_of(PAGE_BYTES);
        ends.push(end);
        if goes_on && behind - first >= LARGE_REQUEST_PAGES { (first + 1, behind) } else { (first, behind) }
    }
}

struct Measuring {
    space_pages: u64,
    paging: Paging,
    touched: Touched,
    moments: Moments,
    of: [OfOperation; 3],
}

/// Counts of one operation.
struct OfOperation {
    shapes: Vec<Shape>,
    runs: Runs,
    /// Where recent requests ended, if within a page.
    edges: Recent<Option<u64>>,
    successors: Recent<Successor>,
    /// Pages of the last small and the last large run to a new site.
    new_pages: [Option<u32>; 2],
    counts: Counts,
}

impl OfOperation {
    fn new(shapes: Vec<Shape>) -> OfOperation {
        OfOperation {
            shapes,
            runs: Runs::default(),
            edges: Recent::default(),
            successors: Recent::default(),
            new_pages: [None; 2],
            counts: Counts::new(),
        }
    }
}

impl Measuring {
    fn request(&mut self, request: &Request, touch: Touch) {
        self.moments.arrives(request.at_ns, touch);
        let (first, behind) = self.paging.pages(request, touch);
        let request_pages = u32::try_from(behind - first).unwrap_or(u32::MAX);
        let of = &mut self.of[touch as usize];
        if request_pages == 1 {
            of.counts.sectors(request.length_bytes.div_ceil(SECTOR_BYTES) as u32);
        }
        match of.runs.request(first, behind) {
            Step::Begins(run) => {
                let shape = of.shapes[run as usize];
                let fraction = f64::from(run) / of.shapes.len() as f64;
                self.begins(touch, (first, request.offset_bytes), fraction, shape);
            }
            Step::Continues { between, .. } => of.counts.continues(between),
        }
        let end_byte = request.offset_bytes.saturating_add(request.length_bytes);
        let is_edge = !end_byte.is_multiple_of(PAGE_BYTES);
        self.of[touch as usize].edges.push(is_edge.then_some(end_byte));
        self.space_pages = self.space_pages.max(behind);
    }

    /// A run begins, after a fraction of all runs of the operation.
    fn begins(&mut self, touch: Touch, (first, start_byte): (u64, u64), fraction: f64, shape: Shape) {
        let range = first..first + u64::from(shape.pages);
        let found = self.touched.find(touch, first);
        let own = self.touched.of(touch);
        let of = &mut self.of[touch as usize];
        let number = found.map(|(_, number)| number);
        let is_own = found.is_some_and(|(owner, _)| owner == touch);
        let begins_there = |number: u32| own.site(number).first == first;
        let followed = number
            .filter(|&number| is_own && begins_there(number))
            .and_then(|number| of.successors.take(|next| next.number == number && next.is_current(own)));
        let edge = if followed.is_none() { of.edges.take(|end| end == Some(start_byte)) } else { None };
        let place = match (followed, edge, found) {
            (Some((which, _)), ..) => {
                of.counts.followed(which);
                Place::Follow
            }
            (_, Some((which, _)), _) => {
                of.counts.edge(which);
                Place::Edge
            }
            (.., Some((owner, number))) => {
                Place::At(owner, class_of(self.touched.of(owner).site(number).shape.pages))
            }
            _ => Place::New,
        };
        let before = match (place, found) {
            (Place::Edge, _) => None,
            (Place::New, _) => {
                of.counts.new_site(&self.touched, range.clone());
                of.new_pages[usize::from(is_large(shape.pages))].replace(shape.pages)
            }
            (_, Some((owner, number))) => {
                let sites = self.touched.of(owner);
                let site = sites.site(number);
                let inside = site.first != first;
                if place != Place::Follow {
                    of.counts.known(place, shape.pages, sites.rank(number), inside);
                }
                let held = self.touched.held_from(touch, owner, first, shape.pages);
                of.counts.covered(place, shape.pages, held == shape.pages);
                (!inside).then_some(site.shape.pages)
            }
            (_, None) => None,
        };
        of.counts.began(fraction, place, shape, before);
        if let Some((owner, number)) = found
            && owner == touch
            && let Some(next) = Successor::of(self.touched.of(owner), number, range)
        {
            of.successors.push(next);
        }
        self.touched.touch(touch, first, shape);
    }
}
