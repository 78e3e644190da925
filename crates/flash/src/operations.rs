//! The operations of the array, and when each ends. Which of them are legal says
//! [`crate::admission`].
//!
//! Every operation takes the time at which it is asked for and returns the time at which it ends.
//! Operations on one service unit (plane or die) are served first come, first served; transfers
//! share the channel.

use crate::array::{Array, Block, Clock};
use crate::error::Illegal;
use crate::medium::Medium;
use crate::timing::{ProgramMode, Transfer};
use crate::{Address, Nanos};

impl Array {
    /// Reads a page that holds data; returns the end of the operation.
    ///
    /// # Errors
    /// [`Illegal::NotProgrammed`].
    #[inline(always)] // As `copy_back`.
    pub fn read(
        &mut self,
        asked_at: Nanos,
        at: Address,
        mode: ProgramMode,
        transfer: Transfer,
    ) -> Result<Nanos, Illegal> {
        self.admit_read(at)?;
        Ok(match self.clock {
            Clock::Runs => self.book_read(asked_at, at, mode, transfer).1,
            Clock::IsHeard => self.queued_read(asked_at, at.apart(), mode, transfer),
            Clock::Stands => asked_at,
        })
    }

    /// Books a read that was admitted: returns when the page is sensed, and the end.
    #[inline(always)]
    pub(crate) fn book_read(
        &mut self,
        asked_at: Nanos,
        at: Address,
        mode: ProgramMode,
        transfer: Transfer,
    ) -> (Nanos, Nanos) {
        let read_ns = self.timing.of(mode, at.page).read_ns;
        self.book_sensing(asked_at, at, read_ns, transfer)
    }

    /// As [`book_read`](Self::book_read), of a page with a sensing time of its own.
    #[inline(always)]
    pub(crate) fn book_sensing(
        &mut self,
        asked_at: Nanos,
        at: Address,
        read_ns: Nanos,
        transfer: Transfer,
    ) -> (Nanos, Nanos) {
        let plane = &mut self.planes[at.plane as usize];
        plane.busy_ns += read_ns;
        let free_at = &mut self.free_at[plane.service_unit as usize];
        let sensed = asked_at.max(*free_at) + read_ns;
        let end = match transfer {
            Transfer::None => sensed,
            Transfer::Channel => {
                let transfer_ns = self.timing.transfer_ns;
                self.channels[plane.channel as usize].book(sensed, transfer_ns) + transfer_ns
            }
        };
        *free_at = end;
        (sensed, end)
    }

    /// Programs a page; returns the end of the operation.
    ///
    /// # Errors
    /// Out of ascending order within the block's pass, or programmed as often as the code permits.
    #[inline(always)] // As `copy_back`.
    pub fn program(
        &mut self,
        asked_at: Nanos,
        at: Address,
        mode: ProgramMode,
        transfer: Transfer,
    ) -> Result<Nanos, Illegal> {
        self.admit_program(at)?;
        Ok(match self.clock {
            Clock::Runs => self.book_program(asked_at, at, mode, transfer),
            Clock::IsHeard => self.queued_program(asked_at, at.apart(), mode, transfer),
            Clock::Stands => asked_at,
        })
    }

    /// Books a program that was admitted; returns its end.
    #[inline(always)]
    pub(crate) fn book_program(
        &mut self,
        asked_at: Nanos,
        at: Address,
        mode: ProgramMode,
        transfer: Transfer,
    ) -> Nanos {
        let program_ns = self.timing.of(mode, at.page).program_ns;
        let plane = &mut self.planes[at.plane as usize];
        plane.busy_ns += program_ns;
        let (unit, channel) = (plane.service_unit as usize, plane.channel);
        let free_at = self.free_at[unit];
        let start = match transfer {
            Transfer::None => asked_at.max(free_at),
            Transfer::Channel => self.transfer_in(asked_at, channel, free_at).max(free_at),
        };
        self.free_at[unit] = start + program_ns;
        start + program_ns
    }

    /// Copies a page within its plane without a transfer (copyback); returns the end of the
    /// operation.
    ///
    /// # Errors
    /// As [`read`](Self::read) and [`program`](Self::program), and two different planes.
    #[inline(always)] // The loop that moves pages is here most of its time; a call and a result in memory are felt.
    pub fn copy_back(
        &mut self,
        asked_at: Nanos,
        (from, read_mode): (Address, ProgramMode),
        (to, program_mode): (Address, ProgramMode),
    ) -> Result<Nanos, Illegal> {
        self.admit_copy_back(from, to)?;
        Ok(match self.clock {
            Clock::Runs => self.book_copy_back(asked_at, (from, read_mode), (to, program_mode)),
            Clock::IsHeard => {
                self.queued_copy_back(asked_at, (from.apart(), read_mode), (to.apart(), program_mode))
            }
            Clock::Stands => asked_at,
        })
    }

    /// Books a copy that was admitted; returns its end.
    #[inline(always)]
    pub(crate) fn book_copy_back(
        &mut self,
        asked_at: Nanos,
        (from, read_mode): (Address, ProgramMode),
        (to, program_mode): (Address, ProgramMode),
    ) -> Nanos {
        let both_ns =
            self.timing.of(read_mode, from.page).read_ns + self.timing.of(program_mode, to.page).program_ns;
        let plane = &mut self.planes[from.plane as usize];
        plane.busy_ns += both_ns;
        let free_at = &mut self.free_at[plane.service_unit as usize];
        *free_at = asked_at.max(*free_at) + both_ns;
        *free_at
    }

    /// Erases a block; returns the end of the operation.
    #[inline]
    pub fn erase(&mut self, asked_at: Nanos, plane: u32, block: u32) -> Nanos {
        self.erase_for(asked_at, plane, block, self.timing.erase_ns)
    }

    /// As [`erase`](Self::erase), of a block whose cells held one bit each.
    pub fn erase_one_bit(&mut self, asked_at: Nanos, plane: u32, block: u32) -> Nanos {
        self.wear.held_one_bit(block);
        self.erase_for(asked_at, plane, block, self.timing.one_bit_erase_ns)
    }

    #[inline(always)] // One copy for each kind of erase.
    fn erase_for(&mut self, asked_at: Nanos, plane: u32, block: u32, erase_ns: Nanos) -> Nanos {
        debug_assert!(block / self.geometry.blocks_per_plane == plane, "block {block} of plane {plane}");
        if self.wear.counts_reprograms() {
            self.wear.reprogrammed(block, self.reprograms_of(block));
        }
        self.blocks[block as usize] = Block::erased(self.rule);
        if !self.programs.is_empty() {
            let pages = self.geometry.pages_per_block as usize;
            let first = block as usize * pages;
            self.programs[first..first + pages].fill(0);
        }
        if let Some(word_lines) = &mut self.word_lines {
            word_lines.erase(block);
        }
        if let Medium::Stored(cells) = &mut self.medium {
            cells.erase(block);
        }
        self.wear.erased(block);
        if self.clock == Clock::Stands {
            return asked_at;
        }
        let executing = &mut self.planes[plane as usize];
        executing.busy_ns += erase_ns;
        let free_at = &mut self.free_at[executing.service_unit as usize];
        *free_at = asked_at.max(*free_at) + erase_ns;
        let end = *free_at;
        if self.clock == Clock::IsHeard {
            self.queue_erase(plane, end);
        }
        end
    }

    /// Books the transfer of a page into the register of a plane on a channel and returns its end.
    #[inline(always)] // The way of every page.
    pub(crate) fn transfer_in(&mut self, asked_at: Nanos, channel: u32, unit_free_at: Nanos) -> Nanos {
        let transfer_ns = self.timing.transfer_ns;
        self.channels[channel as usize].book(asked_at.max(unit_free_at), transfer_ns) + transfer_ns
    }
}
