//! Write hints of a block device: those that a program sets are in the trace.

use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::linux::fs::MetadataExt;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use rewear_record::Device;
use rewear_trace::{Batch, ContentColumn, Operation, Source};

/// A loop device of a file, until it is dropped.
struct Loop(PathBuf);

impl Loop {
    fn of(file: &Path) -> Option<Loop> {
        let made =
            Command::new("losetup").args(["--show", "--direct-io=on", "--find"]).arg(file).output().ok()?;
        let name = String::from_utf8(made.stdout).ok()?;
        made.status.success().then(|| Loop(PathBuf::from(name.trim())))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.0).status();
    }
}

/// Memory that a device takes without a copy.
#[repr(align(4096))]
struct Aligned([u8; 8192]);

/// F_SET_RW_HINT of the kernel's include/uapi/linux/fcntl.h.
const SET_RW_HINT: libc::c_int = 1024 + 12;

fn write_with_hint(block_device: &Path, offset: u64, hint: u64) {
    let mut options = OpenOptions::new();
    let file = options.write(true).custom_flags(libc::O_DIRECT).open(block_device).unwrap();
    // SAFETY: the hint outlives the call.
    let failed = unsafe { libc::fcntl(file.as_raw_fd(), SET_RW_HINT, &raw const hint) };
    assert_eq!(failed, 0, "{}", std::io::Error::last_os_error());
    file.write_all_at(&Aligned([7; 8192]).0, offset).unwrap();
}

#[test]
fn the_hints_of_a_block_device_are_in_the_trace() {
    let needed = std::env::var_os("REWEAR_NEEDS_FUSE").is_some();
    let skip = |why: &str| assert!(!needed, "skipped: {why}");
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    let mountpoint = folder.path().join("mount");
    std::fs::create_dir(&mountpoint).unwrap();
    let out = File::create(&trace).unwrap();
    let Ok(device) = Device::mount(&mountpoint, 1 << 20, out, "hints", ContentColumn::Nothing) else {
        return skip("FUSE cannot be mounted");
    };
    let Some(block_device) = Loop::of(&device.path()) else {
        return skip("there is no loop device");
    };
    let number = std::fs::metadata(&block_device.0).unwrap().st_rdev();
    write_with_hint(&block_device.0, 0, 5); // Before anybody listens.
    if let Err(error) = device.watch_hints(libc::major(number), libc::minor(number)) {
        return skip(&error.to_string());
    }
    // The last is none: the kernel keeps a block device's own hint, and its next file system would have it.
    let hints = [(8192, 2), (16_384, 3), (8192, 4), (32_768, 0), (40_960, 5), (49_152, 0)];
    for (offset, hint) in hints {
        write_with_hint(&block_device.0, offset, hint);
    }
    drop(block_device);
    let summary = device.finish().recorded.unwrap();
    let mut source = rewear_trace::open(&trace, &rewear_trace::OpenOptions::default()).unwrap();
    let (mut batch, mut found) = (Batch::default(), Vec::new());
    while source.fill(&mut batch).unwrap() > 0 {
        let writes = batch.requests.iter().filter(|request| request.operation == Operation::Write);
        found.extend(writes.map(|write| (write.offset_bytes, u64::from(write.stream))));
    }
    assert_eq!(found[0], (0, 0));
    assert_eq!(found[1..], hints);
    assert_eq!(summary.placed, 4);
}
