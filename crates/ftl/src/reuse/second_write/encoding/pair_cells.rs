//! Further writes by a coset code on stored cells. As under the `coset` scheme the levels that the
//! error-correcting code would work out are kept aside.

use std::ops::Range;

use rewear_codes::CodeError;
use rewear_codes::coset::{InvalidCell, Writer, correct};
use rewear_codes::keystream::Keystream;

use super::coset_pair::CosetPair;

/// Bytes of the place of the other half, in the side information.
pub(super) const PLACE_BYTES: usize = 4;
/// Bytes of an invalid cell there: its number plus one, and its level.
pub(super) const ENTRY_BYTES: usize = 5;

/// The code, and what it left wrong in each pair.
#[derive(Debug, Clone)]
pub(super) struct PairCells {
    code: CosetPair,
    first_writer: Writer,
    writer: Writer,
    /// Work space: the cells of both pages, and a page.
    cells: Vec<u8>,
    page: Vec<u8>,
    /// By the first slot of a pair.
    invalid: Vec<Box<[InvalidCell]>>,
}

impl PairCells {
    pub(super) fn new(code: &CosetPair, slots: usize) -> PairCells {
        PairCells {
            first_writer: Writer::new(&code.first),
            writer: Writer::new(&code.pair),
            cells: vec![0; code.pair.image_bytes()],
            page: vec![0; code.pair.data_bytes()],
            invalid: vec![Box::default(); slots],
            code: code.clone(),
        }
    }

    /// Writes a page on erased cells.
    pub(super) fn write_first(&mut self, data: &[u8], image: &mut [u8]) -> Result<(), CodeError> {
        let image = &mut image[..self.code.first.image_bytes()];
        self.first_writer.write(&self.code.first, 0, data, image).map(drop)
    }

    /// Reads a page that was written on erased cells.
    pub(super) fn read_first(&self, image: &[u8], data: &mut [u8]) -> Result<(), CodeError> {
        self.code.first.decode(0, &image[..self.code.first.image_bytes()], data)
    }

    /// Writes a page over a pair as its write `write`, from 0 on. Whether few enough cells are
    /// invalid then; if not the images are as they were.
    pub(super) fn write(
        &mut self,
        (address, write): (u64, u8),
        data: &[u8],
        images: &mut [Vec<u8>; 2],
    ) -> Result<bool, CodeError> {
        self.load(images);
        // The code works on data that looks random.
        self.page.copy_from_slice(data);
        whiten(address, write, &mut self.page);
        let invalid = self.writer.write(&self.code.pair, write.into(), &self.page, &mut self.cells)?;
        if invalid.len() > self.code.limit {
            return Ok(false);
        }
        self.invalid[address as usize] = invalid.into();
        let half = self.cells.len() / 2;
        images[0][..half].copy_from_slice(&self.cells[..half]);
        images[1][..half].copy_from_slice(&self.cells[half..]);
        Ok(true)
    }

    /// Reads what write `write` left on a pair, with corrected levels.
    pub(super) fn read(
        &mut self,
        (address, write): (u64, u8),
        images: &[Vec<u8>; 2],
        data: &mut [u8],
    ) -> Result<(), CodeError> {
        self.load(images);
        correct(&mut self.cells, &self.invalid[address as usize]);
        self.code.pair.decode(write.into(), &self.cells, data)?;
        whiten(address, write, data);
        Ok(())
    }

    /// The invalid cells in a half of a pair and the levels that they should have.
    pub(super) fn side_of_half(&self, address: u64, half: usize, side: &mut Vec<u8>) {
        let cells = self.invalid[address as usize].iter().filter(|cell| self.half_of(cell) == half);
        cells.for_each(|cell| {
            side.extend((cell.cell + 1).to_le_bytes());
            side.push(cell.wanted);
        });
    }

    /// Takes over the invalid cells of a half, behind the place of the other half.
    pub(super) fn restore_half(&mut self, first: u32, half: usize, side: &[u8]) {
        let Some(entries) = side.get(PLACE_BYTES..) else { return };
        let (entries, _) = entries.as_chunks::<ENTRY_BYTES>();
        let cell = |&[a, b, c, d, wanted]: &[u8; ENTRY_BYTES]| {
            let cell = u32::from_le_bytes([a, b, c, d]).checked_sub(1)?;
            Some(InvalidCell { cell, wanted: wanted & 15 })
        };
        let cells = entries.iter().map_while(cell).filter(|cell| self.half_of(cell) == half);
        let Some(known) = self.invalid.get(first as usize) else { return };
        let others = known.iter().copied().filter(|cell| self.half_of(cell) != half);
        self.invalid[first as usize] = others.chain(cells).collect();
    }

    /// The half in which a cell lies; none of those there are if it is no cell of the pair.
    fn half_of(&self, cell: &InvalidCell) -> usize {
        cell.cell as usize / self.cells.len()
    }

    /// The pairs that begin in some slots are gone.
    pub(super) fn erased(&mut self, slots: Range<usize>) {
        self.invalid[slots].fill(Box::default());
    }

    fn load(&mut self, [first, second]: &[Vec<u8>; 2]) {
        let half = self.cells.len() / 2;
        self.cells[..half].copy_from_slice(&first[..half]);
        self.cells[half..].copy_from_slice(&second[..half]);
    }
}

fn whiten(address: u64, write: u8, page: &mut [u8]) {
    Keystream::new(address, write.into()).apply_to_bytes(page);
}
