//! The bytes of a device; only written pages take memory.

use rewear_trace::FINGERPRINT_PAGE_BYTES;

const PAGE: usize = FINGERPRINT_PAGE_BYTES as usize;

type Page = Box<[u8; PAGE]>;

/// Pages of a region, which has a table once a page of it is written.
const REGION_PAGES: usize = 1 << 15;
const REGION_BYTES: u64 = (REGION_PAGES * PAGE) as u64;

/// A device of zeros: 24 bytes for each region of 128 MiB, 8 bytes for each page of a region that
/// is in use, and the page itself once it is written.
#[derive(Clone, Debug)]
pub struct Pages {
    regions: Vec<Vec<Option<Page>>>,
    bytes: u64,
}

impl Pages {
    /// Largest size of a device: 16 TiB, with which its tables take 3 MiB before a page is written.
    pub const MOST_BYTES: u64 = 1 << 44;

    /// A device of `bytes` bytes, rounded down to whole pages; `bytes` is at most
    /// [`Pages::MOST_BYTES`].
    pub fn new(bytes: u64) -> Self {
        let bytes = bytes.min(Self::MOST_BYTES) / PAGE as u64 * PAGE as u64;
        Self { regions: vec![Vec::new(); bytes.div_ceil(REGION_BYTES) as usize], bytes }
    }

    /// Size of the device.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads up to the end of the device.
    pub fn read(&self, offset_bytes: u64, into: &mut Vec<u8>, length_bytes: usize) {
        into.clear();
        for (index, within, length) in self.parts(offset_bytes, length_bytes as u64) {
            match self.page(index) {
                Some(page) => into.extend_from_slice(&page[within..within + length]),
                None => into.resize(into.len() + length, 0),
            }
        }
    }

    /// Writes up to the end of the device; returns how many bytes fitted.
    pub fn write(&mut self, offset_bytes: u64, data: &[u8]) -> usize {
        let mut rest = data;
        for (index, within, length) in self.parts(offset_bytes, data.len() as u64) {
            let (now, later) = rest.split_at(length);
            let page = self.place(index).get_or_insert_with(|| Box::new([0; PAGE]));
            page[within..within + length].copy_from_slice(now);
            rest = later;
        }
        data.len() - rest.len()
    }

    /// Makes a range zeros; pages that it covers wholly give their memory back.
    pub fn clear(&mut self, offset_bytes: u64, length_bytes: u64) {
        let end = offset_bytes.saturating_add(length_bytes).min(self.bytes);
        let mut at = offset_bytes;
        while at < end {
            let index = (at / REGION_BYTES) as usize;
            let stop = ((index as u64 + 1) * REGION_BYTES).min(end);
            if stop - at == REGION_BYTES {
                self.regions[index] = Vec::new();
            } else if !self.regions[index].is_empty() {
                self.clear_pages(at, stop - at);
            }
            at = stop;
        }
    }

    /// The stretches of a range whose pages hold data, whole or in part: offset and length of each.
    pub fn held(&self, offset_bytes: u64, length_bytes: u64) -> Vec<(u64, u64)> {
        let mut stretches: Vec<(u64, u64)> = Vec::new();
        let mut at = offset_bytes;
        for (index, _, length) in self.parts(offset_bytes, length_bytes) {
            let length = length as u64;
            if self.page(index).is_some() {
                match stretches.last_mut().filter(|last| last.0 + last.1 == at) {
                    Some(last) => last.1 += length,
                    None => stretches.push((at, length)),
                }
            }
            at += length;
        }
        stretches
    }

    fn clear_pages(&mut self, offset_bytes: u64, length_bytes: u64) {
        for (index, within, length) in self.parts(offset_bytes, length_bytes) {
            let place = self.place(index);
            if length == PAGE {
                *place = None;
            } else if let Some(page) = place {
                page[within..within + length].fill(0);
            }
        }
    }

    fn page(&self, index: usize) -> Option<&Page> {
        self.regions[index / REGION_PAGES].get(index % REGION_PAGES)?.as_ref()
    }

    /// Where a page is or would be; its region has a table from now on.
    fn place(&mut self, index: usize) -> &mut Option<Page> {
        let region = &mut self.regions[index / REGION_PAGES];
        if region.is_empty() {
            region.resize(REGION_PAGES, None);
        }
        &mut region[index % REGION_PAGES]
    }

    /// The pages of a range, each with the first byte in it and the number of bytes.
    fn parts(
        &self,
        offset_bytes: u64,
        length_bytes: u64,
    ) -> impl Iterator<Item = (usize, usize, usize)> + use<> {
        let end = offset_bytes.saturating_add(length_bytes).min(self.bytes);
        let mut at = offset_bytes;
        std::iter::from_fn(move || {
            let within = (at % PAGE as u64) as usize;
            let length = ((PAGE - within) as u64).min(end.checked_sub(at).filter(|&left| left > 0)?) as usize;
            let index = (at / PAGE as u64) as usize;
            at += length as u64;
            Some((index, within, length))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_an_array_of_bytes(
            steps in prop::collection::vec((0u8..3, 0u64..45_000, 0usize..15_000, any::<u8>()), 0..60),
        ) {
            let (mut pages, mut model) = (Pages::new(40_960 + 100), vec![0u8; 40_960]);
            let mut read = Vec::new();
            for (kind, offset, length, byte) in steps {
                let start = (offset as usize).min(model.len());
                let end = (start + length).min(model.len());
                match kind {
                    0 => {
                        prop_assert_eq!(pages.write(offset, &vec![byte; length]), if offset < 40_960 { end - start } else { 0 });
                        model[start..end].fill(byte);
                    }
                    1 => {
                        pages.clear(offset, length as u64);
                        model[start..end].fill(0);
                    }
                    _ => {
                        pages.read(offset, &mut read, length);
                        prop_assert_eq!(&read[..], &model[start..end]);
                    }
                }
            }
            pages.read(0, &mut read, 1 << 20);
            prop_assert_eq!(read, model);
        }
    }

    #[test]
    fn stretches_that_hold_data_are_found() {
        let mut pages = Pages::new(1 << 20);
        pages.write(4096, &[1; 8192]);
        pages.write(20_480 + 100, &[1]);
        assert_eq!(pages.held(0, 1 << 20), [(4096, 8192), (20_480, 4096)]);
        assert_eq!(pages.held(8192 + 512, 16_384), [(8704, 3584), (20_480, 4096)]);
        pages.clear(4096, 8192);
        assert_eq!(pages.held(0, u64::MAX), [(20_480, 4096)]);
        assert_eq!(pages.held(1 << 20, 4096), []);
    }

    #[test]
    fn the_largest_device_takes_memory_for_what_is_written_only() {
        let mut pages = Pages::new(u64::MAX);
        assert_eq!(pages.bytes(), Pages::MOST_BYTES);
        let places = [0, REGION_BYTES - 2, 5 * REGION_BYTES + 77, Pages::MOST_BYTES - 3];
        for offset in places {
            assert_eq!(pages.write(offset, &[1, 2, 3]), 3);
        }
        let mut read = Vec::new();
        for offset in places {
            pages.read(offset, &mut read, 3);
            assert_eq!(read, [1, 2, 3]);
        }
        let tables = |pages: &Pages| pages.regions.iter().filter(|region| !region.is_empty()).count();
        assert_eq!(tables(&pages), 4);
        pages.clear(1, u64::MAX);
        assert_eq!(tables(&pages), 1);
        pages.read(0, &mut read, 3);
        assert_eq!(read, [1, 0, 0]);
    }
}
