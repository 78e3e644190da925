//! Transactions made by hand on an image of mke2fs, changed by debugfs: which bytes the follower tells
//! to whom, and when. Needs no FUSE, no mount and no root.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::process::Command;

use rewear_record::{Follower, Pages};
use rewear_trace::OwnerKind;

const BLOCK: u64 = 4096;
const SIZE: u64 = 16 << 20;
const MAGIC: u32 = 0xc03b_3998;
/// Begins each block of files' content, so that it is told from metadata.
const CONTENT: u8 = 0xab;

/// How tags of a descriptor look: the journal's features, and the bytes of a tag.
#[derive(Clone, Copy)]
struct Tags {
    features: u32,
    bytes: usize,
}

const OLD: Tags = Tags { features: 0, bytes: 8 };
const WIDE: Tags = Tags { features: 2, bytes: 12 };
const CHECKSUMS: Tags = Tags { features: 2 | 16, bytes: 16 };

struct Image {
    folder: tempfile::TempDir,
    pages: Pages,
    follower: Follower,
    /// Blocks of the journal, which mke2fs lays in three parts, and the next place in it.
    journal: Vec<u64>,
    place: u64,
    length: u64,
    sequence: u32,
    tags: Tags,
    owners: Vec<rewear_trace::Owner>,
    changes: u8,
}

impl Image {
    /// `None` where e2fsprogs is missing.
    fn new(tags: Tags) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("image");
        File::create(&path).unwrap().set_len(SIZE).unwrap();
        let extended = "nodiscard,lazy_itable_init=0,lazy_journal_init=0";
        let made = Command::new("mkfs.ext4").args(["-q", "-b", "4096", "-E", extended]).arg(&path).status();
        if made.is_err() {
            eprintln!("skipped: mkfs.ext4 is missing");
            return None;
        }
        let mut pages = Pages::new(SIZE);
        for (block, bytes) in blocks_of(&path) {
            pages.write(block * BLOCK, &bytes);
        }
        let blocks = debugfs(&path, &["-R", "blocks <8>"]);
        let journal: Vec<u64> = blocks.split_whitespace().map(|block| block.parse().unwrap()).collect();
        assert!(journal.windows(2).any(|pair| pair[1] != pair[0] + 1), "a journal in parts");
        let mut superblock = Vec::new();
        pages.read(journal[0] * BLOCK, &mut superblock, BLOCK as usize);
        pages.write(journal[0] * BLOCK + 0x28, &tags.features.to_be_bytes());
        let number = |at: usize| u32::from_be_bytes(superblock[at..at + 4].try_into().unwrap());
        let (length, place) = (u64::from(number(0x10)), u64::from(number(0x14)));
        let follower = Follower::of(&pages).unwrap();
        Some(Self {
            folder,
            pages,
            follower,
            journal,
            place,
            length,
            sequence: 7,
            tags,
            owners: Vec::new(),
            changes: 0,
        })
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("image")
    }

    /// Changes the image by debugfs: writes the content to the device, and returns the metadata that
    /// changed.
    fn change(&mut self, commands: &str) -> Vec<(u64, Vec<u8>)> {
        let (path, script) = (self.path(), self.folder.path().join("script"));
        let before: std::collections::BTreeMap<_, _> = blocks_of(&path).into_iter().collect();
        // Other content each time: a block that is used again is a write, too.
        self.changes += 1;
        let mut block = vec![self.changes; BLOCK as usize];
        block[0] = CONTENT;
        std::fs::write(self.folder.path().join("content"), block.repeat(3)).unwrap();
        std::fs::write(
            &script,
            commands.replace("CONTENT", self.folder.path().join("content").to_str().unwrap()),
        )
        .unwrap();
        debugfs(&path, &["-w", "-f", script.to_str().unwrap()]);
        let now = blocks_of(&path);
        let changed = now.into_iter().filter(|(block, bytes)| before.get(block) != Some(bytes));
        let (content, metadata): (Vec<_>, Vec<_>) = changed.partition(|(_, bytes)| bytes[0] == CONTENT);
        for (block, bytes) in content {
            self.write(block, &bytes);
        }
        metadata
    }

    fn write(&mut self, block: u64, bytes: &[u8]) {
        self.pages.write(block * BLOCK, bytes);
        self.follower.written(&self.pages, block * BLOCK, bytes.len() as u64);
    }

    fn log(&mut self, bytes: &[u8]) {
        self.write(self.journal[self.place as usize], bytes);
        self.place = if self.place + 1 == self.length { 1 } else { self.place + 1 };
    }

    /// Writes a transaction; the metadata stay in the journal.
    fn commit(&mut self, metadata: &[(u64, Vec<u8>)]) {
        let header = |kind: u32, sequence: u32| {
            let mut bytes = [MAGIC, kind, sequence].map(u32::to_be_bytes).concat();
            bytes.resize(BLOCK as usize, 0);
            bytes
        };
        let (mut descriptor, mut at) = (header(1, self.sequence), 12);
        for (index, (block, bytes)) in metadata.iter().enumerate() {
            let escaped = u16::from(bytes[..4] == MAGIC.to_be_bytes());
            let last = if index + 1 == metadata.len() { 8 } else { 0 };
            let flags = escaped | last | if index > 0 { 2 } else { 0 };
            descriptor[at..at + 4].copy_from_slice(&(*block as u32).to_be_bytes());
            descriptor[at + 6..at + 8].copy_from_slice(&flags.to_be_bytes());
            at += self.tags.bytes + if index == 0 { 16 } else { 0 };
        }
        self.log(&descriptor);
        for (_, bytes) in metadata {
            self.log(bytes);
        }
        self.log(&header(2, self.sequence));
        self.sequence += 1;
    }

    /// What is told of files and free space since it was last asked.
    fn told(&mut self) -> Vec<(String, u64)> {
        self.owners.extend(self.follower.take_owners());
        let mut found: Vec<(String, u64)> = Vec::new();
        while let Some((owner, bytes)) = self.follower.take_run() {
            let owner = &self.owners[owner as usize];
            let name = match owner.kind {
                OwnerKind::File => owner.name.clone(),
                OwnerKind::Free => format!("free{}", owner.name),
                OwnerKind::Journal | OwnerKind::Metadata => continue,
            };
            match found.last_mut().filter(|last| last.0 == name) {
                Some(last) => last.1 += bytes / BLOCK,
                None => found.push((name, bytes / BLOCK)),
            }
        }
        found
    }
}

fn debugfs(image: &std::path::Path, arguments: &[&str]) -> String {
    let done = Command::new("debugfs").args(arguments).arg(image).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).unwrap()
}

/// The blocks of an image that hold anything.
fn blocks_of(image: &std::path::Path) -> Vec<(u64, Vec<u8>)> {
    let (file, mut found) = (File::open(image).unwrap(), Vec::new());
    for block in 0..SIZE / BLOCK {
        let mut bytes = vec![0; BLOCK as usize];
        file.read_exact_at(&mut bytes, block * BLOCK).unwrap();
        if bytes.iter().any(|&byte| byte != 0) {
            found.push((block, bytes));
        }
    }
    found
}

fn file(name: &str, blocks: u64) -> Vec<(String, u64)> {
    vec![(name.to_owned(), blocks)]
}

#[test]
fn a_write_waits_for_the_commit_that_maps_it_and_moves_with_its_file() {
    for tags in [OLD, WIDE, CHECKSUMS] {
        let Some(mut image) = Image::new(tags) else { return };
        let metadata = image.change("mkdir folder\ncd folder\nwrite CONTENT a\n");
        assert_eq!(image.told(), [], "nothing is known before the commit");
        image.commit(&metadata);
        assert_eq!(image.told(), file("/folder/a", 3));
        let first: u64 = debugfs(&image.path(), &["-R", "bmap /folder/a 0"]).trim().parse().unwrap();
        image.write(first, &[1; 4096]);
        assert_eq!(image.told(), file("/folder/a", 1), "in place it is known at once");
        let metadata = image.change("ln /folder/a /b\nunlink /folder/a\n");
        image.write(first + 1, &[2; 4096]);
        image.commit(&metadata);
        image.write(first + 2, &[3; 4096]);
        assert_eq!(image.told(), [("/folder/a".to_owned(), 1), ("/b".to_owned(), 1)]);
        let metadata = image.change("rm /b\n");
        image.write(first, &[4; 4096]);
        image.commit(&metadata);
        image.follower.trimmed(first * BLOCK, 4 * BLOCK);
        // A block beyond the file was never anybody's.
        assert_eq!(image.told(), [("/b".to_owned(), 4), ("free".to_owned(), 1)]);
    }
}

#[test]
fn what_no_commit_maps_is_free_after_the_second() {
    let Some(mut image) = Image::new(CHECKSUMS) else { return };
    let metadata = image.change("write CONTENT kept\n");
    image.write(SIZE / BLOCK - 2, &[1; 4096]);
    image.commit(&metadata);
    assert_eq!(image.told(), file("/kept", 3));
    let metadata = image.change("write CONTENT later\n");
    image.commit(&metadata);
    assert_eq!(image.told(), [("free".to_owned(), 1), ("/later".to_owned(), 3)]);
    image.write(SIZE / BLOCK - 2, &[1; 4096]);
    assert_eq!(image.told(), []);
    image.follower.end();
    assert_eq!(image.told(), file("free", 1));
}

#[test]
fn what_no_commit_maps_is_named_by_the_only_file_that_they_changed() {
    let Some(mut image) = Image::new(CHECKSUMS) else { return };
    let metadata = image.change("write CONTENT state\nwrite CONTENT other\n");
    image.commit(&metadata);
    image.told();
    for (change, name) in [
        ("set_inode_field /state mtime 20300101\n", "free/state"),
        // Read, not written.
        ("set_inode_field /state mtime 20300102\nset_inode_field /other atime 20300102\n", "free/state"),
        ("set_inode_field /state mtime 20300103\nset_inode_field /other mtime 20300103\n", "free"),
        ("set_inode_field /other atime 20300104\n", "free"),
        // A file that came and went between two commits has no name.
        ("write CONTENT brief\nrm brief\nset_inode_field /other mtime 20300105\n", "free/other"),
    ] {
        let metadata = image.change(change);
        image.write(SIZE / BLOCK - 2, &[1; 4096]);
        image.commit(&metadata);
        assert_eq!(image.told().iter().filter(|(name, _)| name == "free").count(), 0, "{change}");
        image.commit(&metadata);
        assert_eq!(image.told().last(), Some(&(name.to_owned(), 1)), "{change}");
    }
}

#[test]
fn the_journal_wraps_and_an_inode_is_used_again() {
    let Some(mut image) = Image::new(CHECKSUMS) else { return };
    image.place = image.length - 3;
    for turn in 0..3 {
        let metadata = image.change(&format!("write CONTENT file-{turn}\n"));
        image.commit(&metadata);
        assert_eq!(image.told(), file(&format!("/file-{turn}"), 3));
        // Removed and made again in one transaction, as another file.
        let metadata = image.change(&format!("rm file-{turn}\nwrite CONTENT again-{turn}\n"));
        image.commit(&metadata);
        let told = image.told();
        assert!(told.iter().all(|(name, _)| name.ends_with(&format!("-{turn}"))), "{told:?}");
        // Unlike the kernel, debugfs leaves a removed inode its extents.
        let metadata = image.change(&format!("rm again-{turn}\nclri <12>\n"));
        image.commit(&metadata);
        image.told();
    }
}

#[test]
fn a_block_that_begins_as_the_journal_does_is_restored() {
    let Some(mut image) = Image::new(WIDE) else { return };
    let mut metadata = image.change("write CONTENT a\n");
    // A block of another transaction's, escaped as jbd2 does it.
    metadata.push((SIZE / BLOCK - 1, MAGIC.to_be_bytes().repeat(1024)));
    image.commit(&metadata);
    assert_eq!(image.told(), file("/a", 3));
}

#[test]
fn what_is_no_ext4_or_cannot_be_followed_is_named() {
    let mut pages = Pages::new(SIZE);
    assert_eq!(Follower::of(&pages).unwrap_err(), "there is no ext4 on the device");
    let Some(image) = Image::new(OLD) else { return };
    let mut first = Vec::new();
    image.pages.read(0, &mut first, BLOCK as usize);
    for (at, byte, said) in [
        (0x18, 0, "its blocks or inodes have an unusual size"),
        (0x5c, 0, "it has no journal"),
        (0x60, 0x10, "it has clusters or descriptors in every group"),
    ] {
        let mut changed = first.clone();
        changed[1024 + at] = byte;
        pages.write(0, &changed);
        assert_eq!(Follower::of(&pages).unwrap_err(), said);
    }
    // Damage anywhere in the superblock leads to no panic.
    for at in 1024..2048 {
        let mut pages = image.pages.clone();
        pages.write(at, &[0xff]);
        let _ = Follower::of(&pages);
    }
}
