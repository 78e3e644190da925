//! Tables of the model with random accesses: how they lie in memory.

use std::mem::MaybeUninit;

/// A table of equal elements. The kernel is asked to lay a long one in large pages, where
/// it has such: to find the place of a page of 4 KiB takes about as long as to fetch it.
pub(crate) fn table<T: Clone>(element: T, len: usize) -> Vec<T> {
    let mut table = Vec::with_capacity(len);
    ask_for_large_pages(table.spare_capacity_mut());
    table.resize(len, element);
    table
}

/// A request that may be ignored.
#[cfg(target_os = "linux")]
fn ask_for_large_pages<T>(memory: &mut [MaybeUninit<T>]) {
    use rustix::mm::{Advice, madvise};
    const LARGE_PAGE: usize = 2 << 20;
    let page = rustix::param::page_size();
    let bytes = memory.as_mut_ptr_range();
    let start = (bytes.start as usize).next_multiple_of(page);
    let stop = bytes.end as usize / page * page;
    if stop.saturating_sub(start) >= LARGE_PAGE {
        let offset = start - bytes.start as usize;
        let first = bytes.start.wrapping_byte_add(offset);
        // SAFETY: the range lies within `memory`, and this advice leaves all content as it is.
        let _ = unsafe { madvise(first.cast(), stop - start, Advice::LinuxHugepage) };
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_large_pages<T>(_: &mut [MaybeUninit<T>]) {}
