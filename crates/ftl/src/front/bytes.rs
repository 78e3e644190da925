//! Reads and writes of bytes, on stored cells.

use rewear_flash::Nanos;

use crate::address::Lpn;
use crate::error::FtlError;
use crate::front::Ftl;
use crate::host::{Command, Content, Coverage, HostWrite};
use crate::reuse::facts::Places;

impl Ftl {
    /// Writes bytes into a logical page, on stored cells.
    ///
    /// # Errors
    /// As [`write`](Self::write); a range beyond the page; an overwrite that does not only clear
    /// bits of what is there, on a drive that programs pages again in place. Nothing is written
    /// then.
    pub fn write_bytes(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        offset: usize,
        data: &[u8],
        command: Command,
    ) -> Result<Nanos, FtlError> {
        self.check(lpn)?;
        let page_bytes = self.hand.state().layout.logical_page_bytes as usize;
        if offset + data.len() > page_bytes {
            return Err(FtlError::Code(format!(
                "bytes {offset}+{} beyond a page of {page_bytes}",
                data.len()
            )));
        }
        if command == Command::Overwrite {
            self.check_overwrite(lpn, offset, data)?;
        }
        if data.len() == page_bytes {
            let content = Content::Page(data);
            return self.write(at, lpn, HostWrite { coverage: Coverage::Whole, command, content });
        }
        let mut page = vec![0; page_bytes];
        self.read_bytes(lpn, &mut page)?;
        page[offset..offset + data.len()].copy_from_slice(data);
        self.write(at, lpn, HostWrite { coverage: Coverage::Part, command, content: Content::Page(&page) })
    }

    /// The bytes of a logical page, from stored cells; zeros where nothing was written. Takes no
    /// simulated time.
    ///
    /// # Errors
    /// A page beyond the exported capacity; a buffer of the wrong size; a page that is not what was
    /// written, on a drive that keeps records.
    pub fn read_bytes(&mut self, lpn: Lpn, page: &mut [u8]) -> Result<(), FtlError> {
        self.check(lpn)?;
        if page.len() != self.hand.state().layout.logical_page_bytes as usize {
            return Err(FtlError::Code(format!(
                "{} bytes for a page of {}",
                page.len(),
                self.hand.state().layout.logical_page_bytes as usize
            )));
        }
        if let Some(bytes) = self.buffered_bytes(lpn) {
            page.copy_from_slice(bytes);
            return Ok(());
        }
        let ppn = self.hand.state().map.find(lpn);
        if ppn.is_none() || !self.hand.state().array.stores_cells() {
            page.fill(0);
            return Ok(());
        }
        let place = self.hand.state().layout.slot_address(ppn);
        self.hand.load(place)?;
        page.copy_from_slice(self.hand.loaded().ok_or(FtlError::Uncorrectable { lpn })?);
        Ok(())
    }

    /// Checks what an overwrite promises: that its data only clears bits of what the page holds
    /// now. On a drive that does not program pages again nothing is promised.
    ///
    /// # Errors
    /// [`FtlError::NotOverwritable`]; a page beyond the exported capacity; a range beyond the page.
    pub fn check_overwrite(&mut self, lpn: Lpn, offset: usize, data: &[u8]) -> Result<(), FtlError> {
        self.check(lpn)?;
        let keeps_promises =
            self.hand.reuse().facts.places == Places::InPlace && self.hand.state().array.stores_cells();
        if !keeps_promises
            || (self.hand.state().map.find(lpn).is_none() && self.buffered_bytes(lpn).is_none())
        {
            return Ok(());
        }
        let mut present = vec![0; self.hand.state().layout.logical_page_bytes as usize];
        self.read_bytes(lpn, &mut present)?;
        let present = present.get(offset..offset + data.len()).unwrap_or_default();
        match present.iter().zip(data).position(|(old, new)| new & !old != 0) {
            None => Ok(()),
            Some(byte) => Err(FtlError::NotOverwritable { lpn, byte: offset + byte }),
        }
    }
}
