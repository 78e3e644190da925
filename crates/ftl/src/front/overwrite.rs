//! Host writes by the overwrite command: where the scheme lets the page be programmed again, or to
//! an overwrite unit.

use rewear_flash::Nanos;

use crate::address::{Lpn, SlotAddress};
use crate::error::FtlError;
use crate::front::Ftl;
use crate::hand::cause::{Cause, LogicalPage};
use crate::hand::path::General;
use crate::host::{Asked, Content};
use crate::state::units::stream::Stream;

impl Ftl {
    /// Writes a page by the overwrite command: where it lies, if the scheme lets it be programmed
    /// again there.
    #[inline(never)]
    pub(super) fn overwrite(
        &mut self,
        Asked { at, ready_at }: Asked,
        (lpn, stream): (Lpn, Stream),
        content: Content<'_>,
    ) -> Result<Nanos, FtlError> {
        self.hand.counters().events.overwrites += 1;
        let (reuse, state) = self.hand.reuse_mut();
        if let Some(place) = reuse.seal().overwrite_place(state, lpn) {
            return self.write_again(ready_at, lpn, content, place);
        }
        let place = self.cleaner.place_slot(&mut self.hand, at, lpn, Stream::Overwrite)?;
        let (reuse, state) = self.hand.reuse_mut();
        reuse.seal().overwrite_begins(state.layout.ppn(place.unit, place.slot));
        self.cleaner.write_by(self.program_path, &mut self.hand, ready_at, (lpn, stream), place, content)
    }

    /// Programs a page again where it lies. If that fails, the page is written once more elsewhere.
    fn write_again(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        content: Content<'_>,
        place: SlotAddress,
    ) -> Result<Nanos, FtlError> {
        let at = self.hand.prepare_again(at, place, content)?;
        let page = LogicalPage { lpn, stream: Stream::Overwrite, cause: Cause::Overwritten };
        let done = self.hand.program_page::<General>(at, page, place)?;
        if done.failed {
            return self.cleaner.write_elsewhere(&mut self.hand, done.end, (lpn, Stream::Host), content);
        }
        Ok(done.end)
    }
}
