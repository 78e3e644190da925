//! How the cells of a page lie in memory.

/// How the cell levels of a page are packed into its image, and so what raising a cell means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellFormat {
    /// Bits per level in the image: 1 (the page is one bit of its cells), 4 or 8 (a level a nibble
    /// or byte).
    pub bits: u8,
    /// Bytes of a page's image.
    pub image_bytes: usize,
    /// What is kept of the page's spare area beside the image.
    pub spare: SpareFormat,
}

/// What is kept of a page's spare area: the part that the translation layer's records take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpareFormat {
    /// Bytes; 0 where no records are kept.
    pub bytes: usize,
    /// Whether the code of the page covers the spare area, too, so that each program of the page
    /// writes it anew. Otherwise its bits are only ever set between two erases.
    pub coded: bool,
}

impl SpareFormat {
    /// Nothing is kept.
    pub const NONE: SpareFormat = SpareFormat { bytes: 0, coded: false };
}

impl CellFormat {
    /// A page that holds one bit of each cell, as in plain flash.
    pub fn binary(page_bytes: u32) -> CellFormat {
        CellFormat { bits: 1, image_bytes: page_bytes as usize, spare: SpareFormat::NONE }
    }

    /// Bytes that a page takes in a medium: its image, then what is kept of its spare area.
    pub fn page_bytes(&self) -> usize {
        self.image_bytes + self.spare.bytes
    }

    /// A byte between an old and a new one of the image, as a torn program may leave it.
    pub(super) fn mixed(self, old: u8, new: u8, random: u64) -> u8 {
        match self.bits {
            1 => old | (new & random as u8),
            4 => {
                let (low, high) = (old & 15, old >> 4);
                let low = between(low, new & 15, random & 0xffff);
                low | between(high, new >> 4, random >> 16 & 0xffff) << 4
            }
            _ => between(old, new, random & 0xffff),
        }
    }

    /// The first cell that `new` would lower below `old`. Erased cells have level 0.
    pub fn first_lowered(self, old: &[u8], new: &[u8]) -> Option<u32> {
        let pairs = || old.iter().zip(new).map(|(&old, &new)| (old, new));
        // Nearly always nothing is lowered: look over all bytes without a branch, and only then for
        // the place.
        let any = match self.bits {
            1 => pairs().fold(0, |any, (old, new)| any | (old & !new)) != 0,
            4 => pairs().fold(false, |any, (old, new)| any | (new & 15 < old & 15) | (new >> 4 < old >> 4)),
            _ => pairs().fold(false, |any, (old, new)| any | (new < old)),
        };
        if !any {
            return None;
        }
        let (cells_per_byte, mask) = (8 / u32::from(self.bits), (0xffu16 >> (8 - self.bits)) as u8);
        let level = |byte: u8, cell: u32| byte >> (cell * u32::from(self.bits)) & mask;
        pairs().enumerate().find_map(|(index, (old, new))| {
            let cell = (0..cells_per_byte).find(|&cell| level(new, cell) < level(old, cell))?;
            Some(index as u32 * cells_per_byte + cell)
        })
    }
}

/// A level from `old` to `new`, by 16 random bits.
fn between(old: u8, new: u8, random: u64) -> u8 {
    old + ((u64::from(new.saturating_sub(old)) * (random + 1)) >> 16) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lowered_level_is_found_exhaustively() {
        let nibbles = CellFormat { bits: 4, ..CellFormat::binary(1) };
        let bytes = CellFormat { bits: 8, ..CellFormat::binary(1) };
        let bits = CellFormat::binary(1);
        for old in 0..=255u8 {
            for new in 0..=255u8 {
                let low = (new & 15) < (old & 15);
                let high = (new >> 4) < (old >> 4);
                let expected = if low { Some(0) } else { high.then_some(1) };
                assert_eq!(nibbles.first_lowered(&[old], &[new]), expected, "{old:02x} -> {new:02x}");
                assert_eq!(bytes.first_lowered(&[old], &[new]), (new < old).then_some(0));
                let cleared = old & !new;
                assert_eq!(
                    bits.first_lowered(&[old], &[new]),
                    (cleared != 0).then(|| cleared.trailing_zeros())
                );
            }
        }
    }
}
