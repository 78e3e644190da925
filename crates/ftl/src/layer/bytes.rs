//! Reads and writes of bytes, on stored cells.

use rewear_flash::Nanos;

use crate::address::Lpn;
use crate::error::FtlError;
use crate::host::{Command, Content, Coverage, HostWrite};
use crate::layer::Ftl;

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
        let page_bytes = self.buffers.page.len();
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
        if page.len() != self.buffers.page.len() {
            return Err(FtlError::Code(format!(
                "{} bytes for a page of {}",
                page.len(),
                self.buffers.page.len()
            )));
        }
        if let Some(bytes) = self.buffered_bytes(lpn) {
            page.copy_from_slice(bytes);
            return Ok(());
        }
        let ppn = self.state.map.find(lpn);
        if ppn.is_none() || !self.state.array.stores_cells() {
            page.fill(0);
            return Ok(());
        }
        let place = self.state.layout.slot_address(ppn);
        self.load(place)?;
        if self.state.keeps_records() && !self.buffers.is_intact() {
            return Err(FtlError::Uncorrectable { lpn });
        }
        page.copy_from_slice(&self.buffers.page);
        Ok(())
    }
}
