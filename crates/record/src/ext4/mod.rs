//! Who wrote: follows an ext4 by the blocks that are written to its device, so that each block is told
//! to a file, the journal, metadata, or free space.
//!
//! Metadata come through the journal. A transaction's descriptor says which blocks it has, and its
//! commit that they are valid: only then the follower takes them. So it knows inodes, extents and
//! directory entries as they are committed.
//!
//! A block that a file holds is the file's until the commit of the transaction that frees it: ext4
//! gives no block out again before. A write to a block without a holder waits. In ordered mode data are
//! on the device before the transaction that allocates their blocks commits. At most one transaction
//! commits beside the running one, so the second commit after the write has it, or the file was removed.
//!
//! Such a file is not named by any structure. But a file whose content was written is in the table of
//! inodes of one of these commits, with new times. If they have but one file with a name, it is told.
//!
//! Read in this order: `layout`, `inode`, `directory`, `names` (structures), `journal` (commits),
//! `blocks` (holders), `told` (bytes that wait). What it cannot follow: `docs/manual/traces.md`.

mod blocks;
mod bytes;
mod directory;
mod inode;
mod journal;
mod layout;
mod names;
mod told;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

use rewear_trace::{Owner, OwnerKind};

use crate::pages::Pages;
use blocks::{Blocks, Holder};
use directory::Entry;
use inode::Inode;
use journal::{Committed, Journal};
use layout::{BLOCK, Layout};
use names::Names;
use told::Told;

/// The first inode that a user's file may have.
const FIRST_FILE: u32 = 11;

/// Commits after which a block that was written has a holder, or its file is gone.
const COMMITS_TO_WAIT: u64 = 2;

/// Contents of blocks, as a transaction has them.
type Contents = BTreeMap<u64, Vec<u8>>;

/// An ext4 that is followed.
#[derive(Debug)]
pub struct Follower {
    layout: Layout,
    journal: Journal,
    blocks: Blocks,
    /// First block of each table of inodes -> its blocks and its group; and the first by group.
    tables: BTreeMap<u64, (u64, u64)>,
    first_of_table: Vec<u64>,
    /// Tables of inodes and trees of extents that were committed; others are as on the device.
    committed: Contents,
    inodes: BTreeMap<u32, Inode>,
    /// Entries of blocks of directories.
    entries: BTreeMap<u64, Vec<Entry>>,
    names: Names,
    /// Owners of inodes; forgotten when a directory changes.
    known: BTreeMap<u32, u32>,
    /// Owners, before the last commit, of inodes that it moved.
    moved: BTreeMap<u32, u32>,
    commits: u64,
    /// Paths of the files that each of the last commits changed; of many the first two.
    touched: VecDeque<BTreeSet<String>>,
    told: Told,
}

impl Follower {
    /// Follows the file system on a device at rest, as `mke2fs` left it.
    ///
    /// # Errors
    /// Why it cannot be followed.
    pub fn of(pages: &Pages) -> Result<Self, &'static str> {
        let layout = Layout::of(&read(pages, 0), pages.bytes() / BLOCK)?;
        let mut follower = Self {
            journal: Journal::new(Vec::new()),
            blocks: Blocks::default(),
            tables: BTreeMap::new(),
            first_of_table: Vec::new(),
            committed: Contents::new(),
            inodes: BTreeMap::new(),
            entries: BTreeMap::new(),
            names: Names::default(),
            known: BTreeMap::new(),
            moved: BTreeMap::new(),
            commits: 0,
            touched: VecDeque::new(),
            told: Told::default(),
            layout,
        };
        let mut held = Vec::new();
        for number in 0..follower.layout.groups() {
            let (block, at) = follower.layout.descriptor(number);
            let group = follower.layout.group(&read(pages, block)[at..])?;
            let (first, count) = group.table;
            let bitmaps = group.bitmaps.map(|bitmap| (bitmap, 1));
            let tables =
                bitmaps.into_iter().chain([(first, count)]).chain(follower.layout.superblock(number));
            tables.for_each(|(first, count)| follower.blocks.set(first, count, Holder::Tables));
            follower.tables.insert(first, (count, number));
            follower.first_of_table.push(first);
            let pages_in_use = pages.held(first * BLOCK, count * BLOCK);
            held.extend(pages_in_use.into_iter().flat_map(|(at, length)| at / BLOCK..(at + length) / BLOCK));
        }
        // As if one transaction had committed all inodes there are.
        follower.take_commit(held.into_iter().map(|block| (block, read(pages, block))).collect(), pages);
        let journal = follower.inodes.remove(&follower.layout.journal_inode).ok_or("it has no journal")?;
        for &(first, count) in &journal.content {
            follower.blocks.set(first, count, Holder::Journal);
        }
        follower.journal = Journal::new(journal.content);
        Ok(follower)
    }

    /// A write that the device has taken.
    pub fn written(&mut self, pages: &Pages, offset_bytes: u64, length_bytes: u64) {
        let end = offset_bytes + length_bytes;
        let mut at = offset_bytes;
        while at < end {
            let (holder, blocks, bytes) = self.run(at, end);
            match holder {
                None | Some(Holder::Was(_)) => self.told.waiting(at, bytes, self.commits),
                Some(holder) => {
                    let owner = self.owner(holder);
                    self.told.owned(owner, bytes);
                }
            }
            if holder == Some(Holder::Journal) {
                for block in blocks {
                    if let Some(changed) = self.journal.written(block, pages) {
                        self.take_commit(changed, pages);
                    }
                }
            }
            at += bytes;
        }
    }

    /// A trim: of blocks that are nobody's any more, their last owner's.
    pub fn trimmed(&mut self, offset_bytes: u64, length_bytes: u64) {
        let end = offset_bytes + length_bytes;
        let mut at = offset_bytes;
        while at < end {
            let (holder, _, bytes) = self.run(at, end);
            let owner = match holder {
                Some(holder) => self.owner(holder),
                None => self.told.index(OwnerKind::Free, String::new()),
            };
            self.told.owned(owner, bytes);
            at += bytes;
        }
    }

    /// The holder of the bytes from `at` on, the blocks that it has in a row, and their bytes before `end`.
    fn run(&self, at: u64, end: u64) -> (Option<Holder>, Range<u64>, u64) {
        let first = at / BLOCK;
        let (holder, blocks) = self.blocks.at(first, end.div_ceil(BLOCK) - first);
        (holder, first..first + blocks, ((first + blocks) * BLOCK).min(end) - at)
    }

    /// Tells what still waits: the device is at rest.
    pub fn end(&mut self) {
        self.ask(u64::MAX);
    }

    /// Owners that are new since it was last asked, by their index.
    pub fn take_owners(&mut self) -> Vec<Owner> {
        self.told.take_owners()
    }

    /// The next bytes whose owner is known, in the order of all that was written and trimmed.
    pub fn take_run(&mut self) -> Option<(u32, u64)> {
        self.told.take_run()
    }

    fn take_commit(&mut self, changed: Vec<Committed>, pages: &Pages) {
        let fresh: Contents = changed.into_iter().collect();
        let touched = self.touched_files(&fresh);
        let changed: Vec<(u32, Inode)> = self
            .changed_inodes(&fresh)
            .into_iter()
            .map(|inode| (inode, self.read_inode(inode, &fresh, pages)))
            .collect();
        let reused: BTreeSet<u32> = changed
            .iter()
            .filter(|(number, inode)| self.is_other(*number, inode))
            .map(|each| each.0)
            .collect();
        changed.iter().for_each(|(number, inode)| self.release(*number, inode));
        let mut folders: BTreeSet<u64> = fresh.keys().copied().collect();
        for (number, inode) in changed {
            if inode.is_directory {
                folders.extend(inode.content.iter().flat_map(|&(first, count)| first..first + count));
            }
            self.hold(number, inode);
        }
        self.take_entries(&folders, &fresh, pages, &reused);
        for (block, content) in fresh {
            if matches!(self.blocks.at(block, 1).0, Some(Holder::Tree(_))) || self.table_of(block).is_some() {
                self.committed.insert(block, content);
            }
        }
        self.commits += 1;
        self.remember(&touched);
        if self.told.waits() {
            self.ask(COMMITS_TO_WAIT);
        }
    }

    /// Regular files, those that are gone among them, whose content a transaction may have changed.
    fn touched_files(&self, fresh: &Contents) -> Vec<u32> {
        let (none, size) = (vec![0; BLOCK as usize], self.layout.inode_bytes as usize);
        let mut found = Vec::new();
        for (&block, content) in fresh {
            let Some((group, index)) = self.table_of(block) else { continue };
            let old = self.committed.get(&block).unwrap_or(&none);
            let slots =
                old.chunks(size).zip(content.chunks(size)).zip(self.layout.first_inode(group, index)..);
            let files = slots.filter(|((old, new), number)| {
                *number >= FIRST_FILE && matches!(inode::touched(old, new), Some(0 | 0x8000))
            });
            found.extend(files.map(|(_, number)| number));
        }
        found
    }

    /// Keeps the paths of the files that the last commit changed, as long as a write may wait for it.
    fn remember(&mut self, touched: &[u32]) {
        let mut paths = BTreeSet::new();
        for &inode in touched.iter().filter(|&&inode| self.names.knows(inode)) {
            paths.insert(self.names.path(inode));
            if paths.len() > 1 {
                break;
            }
        }
        self.touched.push_back(paths);
        if self.touched.len() as u64 > COMMITS_TO_WAIT {
            self.touched.pop_front();
        }
    }

    /// Inodes whose blocks may have changed with a transaction.
    fn changed_inodes(&self, fresh: &Contents) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        let (none, size) = (vec![0; BLOCK as usize], self.layout.inode_bytes as usize);
        for (&block, content) in fresh {
            if let Some(Holder::Tree(inode)) = self.blocks.at(block, 1).0 {
                found.insert(inode);
            }
            let Some((group, index)) = self.table_of(block) else { continue };
            let old = self.committed.get(&block).unwrap_or(&none);
            let inodes =
                old.chunks(size).zip(content.chunks(size)).zip(self.layout.first_inode(group, index)..);
            found.extend(inodes.filter(|((old, new), _)| inode::differs(old, new)).map(|(_, number)| number));
        }
        if self.commits > 0 {
            // The journal stays where it is.
            found.remove(&self.layout.journal_inode);
        }
        found
    }

    /// Group and index of a block in the group's table of inodes.
    fn table_of(&self, block: u64) -> Option<(u64, u64)> {
        let (&first, &(count, group)) = self.tables.range(..=block).next_back()?;
        (block < first + count).then_some((group, block - first))
    }

    fn read_inode(&self, number: u32, fresh: &Contents, pages: &Pages) -> Inode {
        let mut content = |block| {
            let known = fresh.get(&block).or_else(|| self.committed.get(&block));
            known.cloned().unwrap_or_else(|| read(pages, block))
        };
        let (group, index, at) = self.layout.place_of_inode(number);
        let table = self.first_of_table.get(group as usize).copied().unwrap_or_default();
        let bytes = content(table + index);
        Inode::of(&bytes[at..], self.layout.blocks, &mut content)
    }

    /// Whether an inode's number was another file's before.
    fn is_other(&self, number: u32, inode: &Inode) -> bool {
        self.inodes.get(&number).is_some_and(|old| old.generation != inode.generation)
    }

    /// Takes from an inode what it no longer has; the blocks remember whose they were.
    fn release(&mut self, number: u32, new: &Inode) {
        let Some(old) = self.inodes.remove(&number) else { return };
        let gone = inode::without(&old.content, &new.content);
        if !gone.is_empty() {
            self.inodes.insert(number, old.clone());
            let owner = self.owner(Holder::Content(number));
            for (first, count) in gone {
                self.blocks.set(first, count, Holder::Was(owner));
                if old.is_directory {
                    (first..first + count).for_each(|block| drop(self.entries.remove(&block)));
                }
            }
        }
        let metadata = self.owner(Holder::Tables);
        for &block in old.tree.iter().filter(|block| !new.tree.contains(block)) {
            self.blocks.set(block, 1, Holder::Was(metadata));
            self.committed.remove(&block);
        }
    }

    fn hold(&mut self, number: u32, inode: Inode) {
        for &(first, count) in &inode.content {
            self.blocks.set(first, count, Holder::Content(number));
        }
        for &block in &inode.tree {
            self.blocks.set(block, 1, Holder::Tree(number));
        }
        self.known.remove(&number);
        self.inodes.insert(number, inode);
    }

    /// Takes the entries of blocks that are directories'.
    fn take_entries(
        &mut self,
        blocks: &BTreeSet<u64>,
        fresh: &Contents,
        pages: &Pages,
        reused: &BTreeSet<u32>,
    ) {
        let mut changes = Vec::new();
        for &block in blocks {
            let Some(Holder::Content(folder)) = self.blocks.at(block, 1).0 else { continue };
            if !self.inodes.get(&folder).is_some_and(|inode| inode.is_directory) {
                continue;
            }
            let new = match fresh.get(&block) {
                Some(content) => directory::entries(content),
                None if self.entries.contains_key(&block) => continue,
                None => directory::entries(&read(pages, block)),
            };
            let old = self.entries.insert(block, new.clone()).unwrap_or_default();
            if old != new {
                changes.push((folder, old, new));
            }
        }
        self.moved.clear();
        let gone = changes
            .iter()
            .flat_map(|(_, old, new)| old.iter().filter(|entry| new.binary_search(entry).is_err()));
        let gone: BTreeSet<u32> = gone.map(|entry| entry.0).filter(|inode| !reused.contains(inode)).collect();
        for inode in gone {
            let owner = self.owner(Holder::Content(inode));
            self.moved.insert(inode, owner);
        }
        changes.iter().for_each(|(folder, old, new)| self.names.add(*folder, old, new));
        changes.iter().for_each(|(folder, old, new)| self.names.remove(*folder, old, new));
        if !changes.is_empty() {
            self.known.clear();
        }
    }

    /// Tells what waits and has a holder now, and what waited for `commits` in vain.
    fn ask(&mut self, commits: u64) {
        let mut told = std::mem::take(&mut self.told);
        told.ask(|told, first, count, since| {
            let (holder, count) = self.blocks.at(first, count);
            let owner = match holder {
                None | Some(Holder::Was(_)) if commits != u64::MAX && self.commits < since + commits => None,
                None | Some(Holder::Was(_)) => {
                    Some(told.index(OwnerKind::Free, only(&self.touched, self.commits - since)))
                }
                Some(Holder::Content(inode)) if self.moved.contains_key(&inode) => {
                    self.moved.get(&inode).copied()
                }
                Some(holder) => Some(owner_of(holder, told, &mut self.known, &self.inodes, &self.names)),
            };
            (count, owner)
        });
        self.told = told;
    }

    fn owner(&mut self, holder: Holder) -> u32 {
        owner_of(holder, &mut self.told, &mut self.known, &self.inodes, &self.names)
    }
}

/// The only path of the last commits; empty where there are several or none.
fn only(touched: &VecDeque<BTreeSet<String>>, commits: u64) -> String {
    let last = touched.iter().rev().take(commits.min(COMMITS_TO_WAIT) as usize);
    let paths: BTreeSet<&String> = last.flatten().collect();
    paths.first().filter(|_| paths.len() == 1).map(|path| (*path).clone()).unwrap_or_default()
}

/// The owner of what a holder has.
fn owner_of(
    holder: Holder,
    told: &mut Told,
    known: &mut BTreeMap<u32, u32>,
    inodes: &BTreeMap<u32, Inode>,
    names: &Names,
) -> u32 {
    match holder {
        Holder::Was(owner) => owner,
        Holder::Journal => told.index(OwnerKind::Journal, String::new()),
        Holder::Content(inode)
            if inode >= FIRST_FILE && inodes.get(&inode).is_some_and(|inode| !inode.is_directory) =>
        {
            *known.entry(inode).or_insert_with(|| told.index(OwnerKind::File, names.path(inode)))
        }
        Holder::Tables | Holder::Tree(_) | Holder::Content(_) => {
            told.index(OwnerKind::Metadata, String::new())
        }
    }
}

/// A block of the device.
fn read(pages: &Pages, block: u64) -> Vec<u8> {
    let mut content = Vec::new();
    pages.read(block * BLOCK, &mut content, BLOCK as usize);
    content.resize(BLOCK as usize, 0);
    content
}
