//! The bytes of a device, of which only written pages take memory.

use rewear_trace::FINGERPRINT_PAGE_BYTES;

const PAGE: usize = FINGERPRINT_PAGE_BYTES as usize;

/// A device of zeros. 8 bytes for each page of 4 KiB, and the page itself once it is written.
#[derive(Clone, Debug)]
pub struct Pages {
    pages: Vec<Option<Box<[u8; PAGE]>>>,
    bytes: u64,
}

impl Pages {
    /// A device of `bytes` bytes, rounded down to whole pages.
    pub fn new(bytes: u64) -> Self {
        let pages = (bytes / PAGE as u64) as usize;
        Self { pages: vec![None; pages], bytes: (pages * PAGE) as u64 }
    }

    /// Size of the device.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads up to the end of the device.
    pub fn read(&self, offset_bytes: u64, into: &mut Vec<u8>, length_bytes: usize) {
        into.clear();
        for (index, within, length) in self.parts(offset_bytes, length_bytes as u64) {
            match &self.pages[index] {
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
            let page = self.pages[index].get_or_insert_with(|| Box::new([0; PAGE]));
            page[within..within + length].copy_from_slice(now);
            rest = later;
        }
        data.len() - rest.len()
    }

    /// Makes a range zeros; pages that it covers wholly give their memory back.
    pub fn clear(&mut self, offset_bytes: u64, length_bytes: u64) {
        for (index, within, length) in self.parts(offset_bytes, length_bytes) {
            if length == PAGE {
                self.pages[index] = None;
            } else if let Some(page) = &mut self.pages[index] {
                page[within..within + length].fill(0);
            }
        }
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
}
