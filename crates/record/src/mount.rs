//! The device as a file under a folder, through FUSE: reads, writes, `fsync` (a flush) and
//! `fallocate` (a trim, or a write of zeros) are what a loop device or an emulator turns its
//! guests' requests into.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, UNIX_EPOCH};

use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation,
    INodeNo, InitFlags, KernelConfig, LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyData,
    ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use rewear_trace::ContentColumn;

use crate::error::RecordError;
use crate::ext4::Follower;
use crate::pages::Pages;
use crate::recorder::{Recorder, Summary};

/// The name of the device's file.
pub const DEVICE_NAME: &str = "device";

const DEVICE: INodeNo = INodeNo(2);
/// Nothing changes behind the kernel's back.
const TTL: Duration = Duration::from_secs(3600);
/// Patience with requests under way after the last unmount, which take milliseconds: a user in
/// another mount namespace may keep the device for days.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest request that the kernel passes on, 1 MiB; longer ones come in parts.
const LONGEST_BYTES: u32 = 1 << 20;

/// State that the folder and its owner share.
struct State {
    pages: Pages,
    /// Taken when the recording ends.
    recorder: Option<Recorder>,
    /// Who writes, where there is a file system.
    follower: Option<Follower>,
    /// Whether trims of pages that hold nothing are left out.
    leaves_out_empty_trims: bool,
    buffer: Vec<u8>,
}

impl State {
    /// Tells who wrote, of the request that was just done.
    fn written(&mut self, offset_bytes: u64, length_bytes: u64) {
        if let Some(follower) = &mut self.follower {
            follower.written(&self.pages, offset_bytes, length_bytes);
        }
        self.tell();
    }

    /// Writes down what is known of who wrote.
    fn tell(&mut self) {
        if let (Some(follower), Some(recorder)) = (&mut self.follower, &mut self.recorder) {
            follower.take_owners().into_iter().for_each(|owner| recorder.owner(owner));
            while let Some((owner, bytes)) = follower.take_run() {
                recorder.owned(owner, bytes);
            }
        }
    }
}

/// How a recording ended.
#[derive(Debug)]
pub struct Ended {
    /// The writer's first error since the beginning, if it had one.
    pub recorded: Result<Summary, RecordError>,
    /// A device in use is not unmounted, or lives on in another mount namespace.
    pub unmounted: Result<(), RecordError>,
}

/// A recorded device that is mounted. Dropped, it is unmounted and its trace stays without an end.
pub struct Device {
    session: BackgroundSession,
    state: Arc<Mutex<State>>,
    mountpoint: PathBuf,
}

impl Device {
    /// Mounts a device of `size_bytes` zeros (rounded down to pages of 4 KiB) as
    /// `mountpoint`/[`DEVICE_NAME`] and records into `out`. The folder is the device's from here on.
    ///
    /// # Errors
    /// Those of the output and of FUSE; a device of more than 16 TiB.
    pub fn mount<W: Write + Send + 'static>(
        mountpoint: &Path,
        size_bytes: u64,
        out: W,
        description: &str,
        content: ContentColumn,
    ) -> Result<Self, RecordError> {
        if size_bytes > Pages::MOST_BYTES {
            return Err(RecordError::Size { size_bytes });
        }
        let recorder = Recorder::new(out, description, content)?;
        let pages = Pages::new(size_bytes);
        let state = Arc::new(Mutex::new(State {
            pages,
            recorder: Some(recorder),
            follower: None,
            leaves_out_empty_trims: false,
            buffer: Vec::new(),
        }));
        let mut config = Config::default();
        config.mount_options = vec![MountOption::FSName("rewear".to_owned()), MountOption::NoAtime];
        let folder = Folder { state: Arc::clone(&state) };
        let session = fuser::spawn_mount(folder, mountpoint, &config)
            .map_err(|source| RecordError::Mount { mountpoint: mountpoint.to_owned(), source })?;
        Ok(Self { session, state, mountpoint: mountpoint.to_owned() })
    }

    /// The device's file.
    pub fn path(&self) -> PathBuf {
        self.mountpoint.join(DEVICE_NAME)
    }

    /// Leaves out of the recording, from now on, what trims pages that were never written or are
    /// trimmed already: it changes nothing on the device.
    pub fn leave_out_empty_trims(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).leaves_out_empty_trims = true;
    }

    /// Marks all requests until [`Device::begin`] as those that make the file system.
    pub fn prepare(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(recorder) = &mut state.recorder {
            recorder.prepare();
        }
    }

    /// Records from now on: the next request is the first. Follows the ext4 that was made on the
    /// device, so that the recording tells who wrote.
    ///
    /// # Errors
    /// A file system that cannot be followed; the recording goes on without.
    pub fn begin(&self) -> Result<(), RecordError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(recorder) = &mut state.recorder {
            recorder.begin();
        }
        state.follower = Some(Follower::of(&state.pages).map_err(RecordError::Followed)?);
        Ok(())
    }

    /// Notes how many bytes the recorded programs asked to write.
    pub fn asked(&self, bytes: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(recorder) = &mut state.recorder {
            recorder.asked(bytes);
        }
    }

    /// Counts so far.
    pub fn summary(&self) -> Summary {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.recorder.as_ref().map(Recorder::summary).unwrap_or_default()
    }

    /// Unmounts the device, removes its folder and ends the trace, each whether or not the others
    /// fail.
    pub fn finish(self) -> Ended {
        let Self { session, state, mountpoint } = self;
        let unmounted = unmount(session, &mountpoint);
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(follower) = &mut state.follower {
            follower.end();
        }
        state.tell();
        let recorder = state.recorder.take();
        Ended {
            recorded: recorder.map_or(Err(RecordError::Writer), Recorder::finish),
            unmounted: unmounted.map_err(|source| RecordError::Unmount { mountpoint, source }),
        }
    }
}

/// Unmounts everywhere: a mount namespace made meanwhile, as a container's, has a copy of the mount,
/// and the session serves it as long. The kernel detaches all copies where their folder is removed.
fn unmount(session: BackgroundSession, mountpoint: &Path) -> std::io::Result<()> {
    // The rest of the session is the mount, which ends here.
    let server = { session }.guard;
    std::fs::remove_dir(mountpoint)?;
    let deadline = Instant::now() + PATIENCE;
    while !server.is_finished() {
        if Instant::now() > deadline {
            return Err(std::io::Error::from_raw_os_error(libc::EBUSY));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    server.join().unwrap_or_else(|_| Err(std::io::Error::other("its server ended with a fault")))
}

/// A folder with one file.
struct Folder {
    state: Arc<Mutex<State>>,
}

impl Folder {
    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn attributes(&self, inode: INodeNo) -> Option<FileAttr> {
        let (kind, perm, size) = match inode {
            INodeNo::ROOT => (FileType::Directory, 0o700, 0),
            DEVICE => (FileType::RegularFile, 0o600, self.with(|state| state.pages.bytes())),
            _ => return None,
        };
        // SAFETY: both calls always succeed and touch no memory.
        let (uid, gid) = unsafe { (libc::getuid(), libc::getgid()) };
        let time = UNIX_EPOCH;
        Some(FileAttr {
            ino: inode,
            size,
            blocks: size / 512,
            atime: time,
            mtime: time,
            ctime: time,
            crtime: time,
            kind,
            perm,
            nlink: 1,
            uid,
            gid,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        })
    }

    fn reply_attributes(&self, inode: INodeNo, reply: ReplyAttr) {
        match self.attributes(inode) {
            Some(attributes) => reply.attr(&TTL, &attributes),
            None => reply.error(Errno::ENOENT),
        }
    }
}

impl Filesystem for Folder {
    fn init(&mut self, _request: &Request, config: &mut KernelConfig) -> std::io::Result<()> {
        // Where the kernel has less to offer, it splits requests more.
        let _ = config.set_max_write(LONGEST_BYTES);
        let _ = config.add_capabilities(InitFlags::FUSE_MAX_PAGES);
        Ok(())
    }

    fn lookup(&self, _request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        match self.attributes(DEVICE) {
            Some(attributes) if parent == INodeNo::ROOT && name == DEVICE_NAME => {
                reply.entry(&TTL, &attributes, Generation(0));
            }
            _ => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _request: &Request, inode: INodeNo, _handle: Option<FileHandle>, reply: ReplyAttr) {
        self.reply_attributes(inode, reply);
    }

    /// Accepts what changes nothing that the device has: times and owners.
    fn setattr(
        &self,
        _request: &Request,
        inode: INodeNo,
        _mode: Option<u32>,
        _uid: Option<u32>,
        _gid: Option<u32>,
        size: Option<u64>,
        _atime: Option<TimeOrNow>,
        _mtime: Option<TimeOrNow>,
        _ctime: Option<std::time::SystemTime>,
        _handle: Option<FileHandle>,
        _crtime: Option<std::time::SystemTime>,
        _chgtime: Option<std::time::SystemTime>,
        _bkuptime: Option<std::time::SystemTime>,
        _flags: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        match size {
            Some(size) if size != self.with(|state| state.pages.bytes()) => reply.error(Errno::EPERM),
            _ => self.reply_attributes(inode, reply),
        }
    }

    fn open(&self, _request: &Request, _inode: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::FOPEN_KEEP_CACHE);
    }

    fn read(
        &self,
        _request: &Request,
        _inode: INodeNo,
        _handle: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        self.with(|state| {
            state.pages.read(offset, &mut state.buffer, size as usize);
            if let Some(recorder) = &mut state.recorder {
                recorder.read(offset, state.buffer.len() as u64);
            }
            reply.data(&state.buffer);
        });
    }

    fn write(
        &self,
        _request: &Request,
        _inode: INodeNo,
        _handle: FileHandle,
        offset: u64,
        data: &[u8],
        _write_flags: WriteFlags,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        self.with(|state| {
            let fitted = state.pages.write(offset, data);
            if fitted == 0 && !data.is_empty() {
                return reply.error(Errno::ENOSPC);
            }
            if let Some(recorder) = &mut state.recorder {
                recorder.write(offset, &data[..fitted]);
            }
            state.written(offset, fitted as u64);
            reply.written(fitted as u32);
        });
    }

    fn flush(
        &self,
        _request: &Request,
        _inode: INodeNo,
        _handle: FileHandle,
        _owner: LockOwner,
        reply: ReplyEmpty,
    ) {
        // Every close, not a request of the device.
        reply.ok();
    }

    fn fsync(
        &self,
        _request: &Request,
        _inode: INodeNo,
        _handle: FileHandle,
        _datasync: bool,
        reply: ReplyEmpty,
    ) {
        self.with(|state| {
            if let Some(recorder) = &mut state.recorder {
                recorder.flush();
            }
        });
        reply.ok();
    }

    fn fallocate(
        &self,
        _request: &Request,
        _inode: INodeNo,
        _handle: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        let (punches, zeroes) =
            (mode & libc::FALLOC_FL_PUNCH_HOLE != 0, mode & libc::FALLOC_FL_ZERO_RANGE != 0);
        if !punches && !zeroes {
            return reply.error(Errno::EOPNOTSUPP);
        }
        self.with(|state| {
            let length = length.min(state.pages.bytes().saturating_sub(offset));
            let trims = match state.leaves_out_empty_trims {
                true if punches => state.pages.held(offset, length),
                _ => vec![(offset, length)],
            };
            state.pages.clear(offset, length);
            let Some(recorder) = &mut state.recorder else { return };
            if !punches {
                recorder.write_zeros(offset, length);
                return state.written(offset, length);
            }
            for (offset, length) in trims {
                recorder.trim(offset, length);
                if let Some(follower) = &mut state.follower {
                    follower.trimmed(offset, length);
                }
            }
            state.tell();
        });
        reply.ok();
    }

    fn readdir(
        &self,
        _request: &Request,
        inode: INodeNo,
        _handle: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        if inode != INodeNo::ROOT {
            return reply.error(Errno::ENOTDIR);
        }
        let entries = [
            (INodeNo::ROOT, FileType::Directory, "."),
            (INodeNo::ROOT, FileType::Directory, ".."),
            (DEVICE, FileType::RegularFile, DEVICE_NAME),
        ];
        for (next, (inode, kind, name)) in (1u64..).zip(entries).skip(offset as usize) {
            if reply.add(inode, next, kind, name) {
                break;
            }
        }
        reply.ok();
    }
}
