//! An image file: the cells of an array in a file that is mapped into memory.
//!
//! What was programmed is in the file as soon as the program ended, so it survives the death of the
//! process at any moment; the kernel writes it to disk when it likes, so it does not survive the
//! host's. A header says which drive it is.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use memmap2::{MmapMut, MmapOptions};

use super::cell_format::CellFormat;
use super::progress::{self, PROGRESS_BYTES};

/// What an image file is refused for, or why it could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The system says no.
    #[error("{path}: {source}. Check the path, its permissions and the space there")]
    File {
        /// The image.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another process uses it.
    #[error("{path} is in use by another process. Stop that server, or give another image")]
    InUse {
        /// The image.
        path: PathBuf,
    },
    /// It is something else, cut short, or its header is damaged.
    #[error(
        "{path} is no image of a drive: {problem}. Give another path, or remove the file if nobody needs it"
    )]
    NoImage {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// It is the image of another drive.
    #[error("{path} is the image of another drive. Serve it with the configuration that it was made with")]
    OtherDrive {
        /// The image.
        path: PathBuf,
        /// What the image says its drive is.
        found: String,
    },
}

/// An image file that is open, and locked against other processes.
#[derive(Debug)]
pub struct Image {
    /// Header and cells.
    bytes: MmapMut,
    blocks: usize,
    block_bytes: usize,
    /// Keeps the lock.
    file: File,
    is_new: bool,
}

/// The shape and origin of the cells in an image.
#[derive(Debug, Clone, Copy)]
pub struct ImageShape<'a> {
    /// How pages are packed.
    pub format: CellFormat,
    /// Blocks of the array.
    pub blocks: u32,
    /// Pages of each.
    pub pages_per_block: u32,
    /// A text that is the same for the same drive only, e.g. its configuration; at most
    /// [`LONGEST_DRIVE_BYTES`].
    pub drive: &'a str,
    /// Whether a new file takes room as cells are programmed, and not for all of them now. Where none
    /// is left then, the process ends.
    pub is_sparse: bool,
}

/// The header's bytes; the cells begin behind it, at a page boundary of any system.
const HEADER_BYTES: usize = 1 << 16;
const MAGIC: &[u8; 8] = b"RWNIMAGE";
const VERSION: u32 = 4;
/// What is known of the operations on the cells stands at the header's end; the rest never changes.
const FIXED_HEADER_BYTES: usize = HEADER_BYTES - PROGRESS_BYTES;
/// Magic, version, checksum of the rest, seven numbers and the length of the drive's text.
const FIXED_BYTES: usize = 8 + 4 + 4 + 7 * 8 + 4;
/// The longest text that tells drives apart.
pub const LONGEST_DRIVE_BYTES: usize = FIXED_HEADER_BYTES - FIXED_BYTES;

impl Image {
    /// Opens an image, or makes one, with all cells erased, where there is no file or an empty one.
    ///
    /// # Errors
    /// See [`ImageError`].
    pub fn open(path: &Path, shape: ImageShape<'_>) -> Result<Image, ImageError> {
        let failed = |source| ImageError::File { path: path.to_owned(), source };
        let block_bytes = shape.pages_per_block as usize * shape.format.page_bytes();
        let length = HEADER_BYTES + shape.blocks as usize * block_bytes;
        let header = header(shape).map_err(failed)?;
        let is_new = is_absent(path).map_err(failed)?;
        let file = if is_new {
            create(path, &header, (length as u64, shape.is_sparse))?
        } else {
            open(path, &header, length as u64)?
        };
        // SAFETY: the file is locked, so no other drive changes it while it is mapped.
        let bytes = unsafe { MmapOptions::new().len(length).map_mut(&file) }.map_err(failed)?;
        Ok(Image { bytes, blocks: shape.blocks as usize, block_bytes, file, is_new })
    }

    /// Whether the file was made just now.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    pub(super) fn blocks(&self) -> usize {
        self.blocks
    }

    pub(super) fn block_bytes(&self) -> usize {
        self.block_bytes
    }

    #[inline]
    pub(super) fn block(&self, block: usize) -> &[u8] {
        &self.bytes[HEADER_BYTES + block * self.block_bytes..][..self.block_bytes]
    }

    #[inline]
    pub(super) fn block_mut(&mut self, block: usize) -> &mut [u8] {
        &mut self.bytes[HEADER_BYTES + block * self.block_bytes..][..self.block_bytes]
    }

    /// By block: where the file begins to have nothing but holes, in bytes from the block's start. All
    /// of a block where the system does not tell.
    pub(super) fn data_ends(&self) -> Vec<usize> {
        let mut ends = vec![0; self.blocks];
        if self.for_each_extent(|extent| note_extent(&mut ends, self.block_bytes, extent)).is_none() {
            ends.fill(self.block_bytes);
        }
        ends
    }

    /// Names the extents of the file that hold data, from its begin; `None` where the system does not
    /// tell them.
    #[cfg(target_os = "linux")]
    fn for_each_extent(&self, mut note: impl FnMut(std::ops::Range<u64>)) -> Option<()> {
        use rustix::fs::{SeekFrom, seek};
        let mut at = 0;
        loop {
            let start = match seek(&self.file, SeekFrom::Data(at)) {
                Ok(start) => start,
                // Behind the last one.
                Err(rustix::io::Errno::NXIO) => return Some(()),
                Err(_) => return None,
            };
            at = seek(&self.file, SeekFrom::Hole(start)).ok()?;
            note(start..at);
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn for_each_extent(&self, _: impl FnMut(std::ops::Range<u64>)) -> Option<()> {
        None
    }

    pub(super) fn progress(&self) -> &[u8] {
        &self.bytes[FIXED_HEADER_BYTES..HEADER_BYTES]
    }

    pub(super) fn progress_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[FIXED_HEADER_BYTES..HEADER_BYTES]
    }
}

/// An extent of the file holds data: so far the blocks that it touches are not blank.
fn note_extent(ends: &mut [usize], block_bytes: usize, extent: std::ops::Range<u64>) {
    let (first, stop) = (
        (extent.start as usize).saturating_sub(HEADER_BYTES),
        (extent.end as usize).saturating_sub(HEADER_BYTES),
    );
    for block in first / block_bytes..stop.div_ceil(block_bytes).min(ends.len()) {
        ends[block] = (stop - block * block_bytes).min(block_bytes);
    }
}

/// Whether there is no file, or an empty one.
fn is_absent(path: &Path) -> io::Result<bool> {
    match std::fs::metadata(path) {
        Ok(found) => Ok(found.is_file() && found.len() == 0),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

/// Opens and locks an image that is there.
fn open(path: &Path, header: &[u8], length: u64) -> Result<File, ImageError> {
    let failed = |source| ImageError::File { path: path.to_owned(), source };
    let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(failed)?;
    lock(&file, path)?;
    let found = file.metadata().map_err(failed)?.len();
    check(path, &mut file, header, found, length)?;
    Ok(file)
}

/// Makes an image beside its place and gives it its name when it is whole, so that nobody finds a
/// part of one, whenever this process ends. What an earlier one left there is made anew.
fn create(path: &Path, header: &[u8], (length, is_sparse): (u64, bool)) -> Result<File, ImageError> {
    let failed = |source| ImageError::File { path: path.to_owned(), source };
    let unfinished = unfinished(path);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    #[cfg(target_os = "linux")]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NOFOLLOW.bits().cast_signed(),
    );
    let mut file = options.open(&unfinished).map_err(failed)?;
    lock(&file, path)?;
    if !is_absent(path).map_err(failed)? {
        // Another process has just made it, perhaps from this very file.
        return Err(ImageError::InUse { path: path.to_owned() });
    }
    let reserved =
        file.set_len(0).and_then(|()| if is_sparse { file.set_len(length) } else { reserve(&file, length) });
    let written =
        reserved.and_then(|()| file.write_all(header)).and_then(|()| file.write_all(&progress::fresh()));
    if let Err(source) = written.and_then(|()| std::fs::rename(&unfinished, path)) {
        let _ = std::fs::remove_file(&unfinished);
        return Err(failed(source));
    }
    Ok(file)
}

fn unfinished(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".rewear-new");
    path.with_file_name(name)
}

fn lock(file: &File, path: &Path) -> Result<(), ImageError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(std::fs::TryLockError::WouldBlock) => Err(ImageError::InUse { path: path.to_owned() }),
        Err(std::fs::TryLockError::Error(source)) => Err(ImageError::File { path: path.to_owned(), source }),
    }
}

/// Takes the space now: a mapped page for which there is none later would end the process.
fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    file.set_len(bytes)?;
    #[cfg(target_os = "linux")]
    match rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes) {
        // Where the file system cannot reserve, the file stays sparse.
        Ok(()) | Err(rustix::io::Errno::OPNOTSUPP) => {}
        Err(error) => {
            let _ = file.set_len(0);
            return Err(error.into());
        }
    }
    Ok(())
}

fn header(shape: ImageShape<'_>) -> io::Result<Vec<u8>> {
    let ImageShape { format, blocks, pages_per_block, drive, is_sparse: _ } = shape;
    if drive.len() > LONGEST_DRIVE_BYTES {
        let text = format!(
            "the description of the drive has {} bytes, at most {LONGEST_DRIVE_BYTES} fit",
            drive.len()
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let numbers = [
        u64::from(format.bits),
        format.image_bytes as u64,
        format.spare.bytes as u64,
        u64::from(format.spare.coded),
        u64::from(blocks),
        u64::from(pages_per_block),
        HEADER_BYTES as u64,
    ];
    let mut rest: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    rest.extend_from_slice(&(drive.len() as u32).to_le_bytes());
    rest.extend_from_slice(drive.as_bytes());
    rest.resize(FIXED_HEADER_BYTES - 16, 0);
    let mut header = MAGIC.to_vec();
    header.extend_from_slice(&VERSION.to_le_bytes());
    header.extend_from_slice(&crc32fast::hash(&rest).to_le_bytes());
    header.extend_from_slice(&rest);
    Ok(header)
}

/// Compares the file with what it should be.
fn check(
    path: &Path,
    file: &mut File,
    expected: &[u8],
    length: u64,
    expected_length: u64,
) -> Result<(), ImageError> {
    let no_image = |problem| ImageError::NoImage { path: path.to_owned(), problem };
    let mut found = vec![0; FIXED_HEADER_BYTES];
    match file.read_exact(&mut found) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(no_image("it is too short"));
        }
        Err(source) => return Err(ImageError::File { path: path.to_owned(), source }),
    }
    if found[..8] != *MAGIC {
        return Err(no_image("it does not begin like one"));
    }
    if found[8..12] != VERSION.to_le_bytes() {
        return Err(no_image("another version of Rewear made it, and that version alone can serve it"));
    }
    if found[12..16] != crc32fast::hash(&found[16..]).to_le_bytes() {
        return Err(no_image("its header is damaged"));
    }
    if found != expected {
        let bytes = &found[FIXED_BYTES..];
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        let drive = String::from_utf8_lossy(&bytes[..end]).into_owned();
        return Err(ImageError::OtherDrive { path: path.to_owned(), found: drive });
    }
    if length != expected_length {
        return Err(no_image("its length is not that of its drive"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Address;
    use crate::medium::Stored;

    fn shape(drive: &str) -> ImageShape<'_> {
        ImageShape { format: CellFormat::binary(512), blocks: 3, pages_per_block: 4, drive, is_sparse: false }
    }

    fn at(block: u32, page: u32) -> Address {
        Address { plane: 0, block, page }
    }

    #[test]
    fn cells_come_back_and_only_for_the_same_drive() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("image");
        let image = Image::open(&path, shape("one")).unwrap();
        assert!(image.is_new());
        assert!(matches!(Image::open(&path, shape("one")), Err(ImageError::InUse { .. })));
        let mut cells = Stored::on_image(CellFormat::binary(512), 4, image);
        cells.raise(at(2, 3), &[0xa5; 512], &[]).unwrap();
        cells.raise(at(1, 0), &[1; 512], &[]).unwrap();
        cells.erase(1);
        let copy = cells.clone();
        drop(cells);

        let image = Image::open(&path, shape("one")).unwrap();
        assert!(!image.is_new());
        let reopened = Stored::on_image(CellFormat::binary(512), 4, image);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        for cells in [&copy, &reopened] {
            let mut page = [0; 512];
            cells.read(at(2, 3), &mut page).unwrap();
            assert_eq!(page, [0xa5; 512]);
            assert!(cells.is_blank(at(1, 0)) && cells.is_blank(at(0, 0)));
        }
        drop(reopened);
        let other = Image::open(&path, shape("two"));
        assert!(matches!(other, Err(ImageError::OtherDrive { found, .. }) if found == "one"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_the_file_has_in_holes_is_known_to_be_blank() {
        let folder = tempfile::tempdir().unwrap();
        for is_sparse in [false, true] {
            let path = folder.path().join(format!("image {is_sparse}"));
            let format = CellFormat::binary(1 << 16);
            let shape = ImageShape { format, blocks: 4, pages_per_block: 4, drive: "one", is_sparse };
            let open = || Stored::on_image(format, 4, Image::open(&path, shape).unwrap());
            let known = |cells: &Stored| [0, 1, 2, 3].map(|block| cells.is_known_blank_block(block));
            let mut cells = open();
            assert_eq!(known(&cells), [true; 4]);
            cells.raise(at(1, 1), &[3; 1 << 16], &[]).unwrap();
            cells.raise(at(3, 3), &[5; 1 << 16], &[]).unwrap();
            drop(cells);
            let mut cells = open();
            // Of room that is reserved the kernel counts what it has read as data.
            assert!(!is_sparse || known(&cells) == [true, false, true, false]);
            for (block, page, content) in [(1, 0, 0), (1, 1, 3), (1, 2, 0), (2, 3, 0), (3, 0, 0), (3, 3, 5)] {
                let mut image = [9; 1 << 16];
                cells.read(at(block, page), &mut image).unwrap();
                assert_eq!(image, [content; 1 << 16]);
                assert_eq!(cells.is_blank(at(block, page)), content == 0);
            }
            cells.erase(3);
            cells.raise(at(1, 3), &[7; 1 << 16], &[]).unwrap();
            drop(cells);
            let cells = open();
            assert!((0..4).all(|page| cells.is_blank(at(3, page)) && cells.is_blank(at(0, page))));
            assert!(cells.is_blank(at(1, 2)) && !cells.is_blank(at(1, 3)));
        }
        use std::os::unix::fs::MetadataExt;
        let sparse = std::fs::metadata(folder.path().join("image true")).unwrap();
        assert!(sparse.blocks() * 512 < sparse.size() / 2);
    }

    #[test]
    fn an_image_that_was_killed_while_it_was_made_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("image");
        for left in [0, 7, HEADER_BYTES, 2 * HEADER_BYTES] {
            std::fs::write(unfinished(&path), vec![3; left]).unwrap();
            let image = Image::open(&path, shape("one")).unwrap();
            assert!(image.is_new() && image.block(0).iter().all(|&byte| byte == 0));
            assert!(!unfinished(&path).exists());
            drop(image);
            std::fs::write(&path, []).unwrap();
        }
        // While it is being made nobody else makes it.
        let making = File::create(unfinished(&path)).unwrap();
        making.try_lock().unwrap();
        assert!(matches!(Image::open(&path, shape("one")), Err(ImageError::InUse { .. })));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_link_in_the_place_of_an_unfinished_image_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, victim) = (folder.path().join("image"), folder.path().join("victim"));
        std::fs::write(&victim, "precious").unwrap();
        std::os::unix::fs::symlink(&victim, unfinished(&path)).unwrap();
        assert!(matches!(Image::open(&path, shape("one")), Err(ImageError::File { .. })));
        assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
    }

    #[test]
    fn other_files_are_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("image");
        drop(Image::open(&path, shape("one")).unwrap());
        let whole = std::fs::read(&path).unwrap();
        let refused = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let refused = matches!(Image::open(&path, shape("one")), Err(ImageError::NoImage { .. }));
            refused && std::fs::read(&path).unwrap() == bytes
        };
        assert!(refused(&whole[..whole.len() - 1]));
        assert!(refused(&whole[..100]));
        assert!(refused(&vec![0; whole.len()]));
        for byte in [0, 8, 12, 20, FIXED_HEADER_BYTES - 1] {
            let mut damaged = whole.clone();
            damaged[byte] ^= 1;
            assert!(refused(&damaged), "byte {byte}");
        }
    }
}
