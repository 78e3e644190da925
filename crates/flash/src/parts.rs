//! An array of which parts worked apart, put together.

use std::ops::Range;

use crate::Array;

impl Array {
    /// Takes over how blocks stand: what is programmed of them, and their erases. They are those of
    /// some planes of another array, whose planes have as many blocks; here they are those of as
    /// many planes from `first_plane` on. How long those worked is taken over, too; cells and queues
    /// stay.
    pub fn take_planes(&mut self, first_plane: u32, of: &Array, planes: Range<u32>) {
        let blocks_per_plane = self.geometry.blocks_per_plane;
        let first = first_plane * blocks_per_plane;
        let blocks = (planes.start * blocks_per_plane) as usize..(planes.end * blocks_per_plane) as usize;
        self.blocks[first as usize..][..blocks.len()].copy_from_slice(&of.blocks[blocks.clone()]);
        let (to, from) = (first_plane as usize, planes.start as usize..planes.end as usize);
        for (plane, worked) in self.planes[to..].iter_mut().zip(&of.planes[from]) {
            plane.busy_ns = worked.busy_ns;
        }
        for (block, &erases) in (first..).zip(&of.wear.erases()[blocks]) {
            self.wear.restore(block, erases);
        }
    }

    /// Takes over what a channel of another array was used for.
    pub fn take_channel(&mut self, channel: u32, of: &Array, its: u32) {
        self.channels[channel as usize] = of.channels[its as usize].clone();
    }
}
