//! An ext4 that is mounted on a recorded device: bytes by file, by the structures that reach the device.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use rewear_record::{Device, RecordError};
use rewear_trace::{ContentColumn, OpenOptions, OwnerKind, Writers, info, open, who_writes};

/// Output of a tool, or why it failed.
fn run(program: &str, arguments: &[&str]) -> Result<String, String> {
    let done =
        Command::new(program).args(arguments).output().map_err(|error| format!("{program}: {error}"))?;
    let text = |bytes| String::from_utf8_lossy(bytes).trim().to_owned();
    if done.status.success() {
        Ok(text(&done.stdout))
    } else {
        Err(format!("{program}: {}", text(&done.stderr)))
    }
}

/// A file system on a recorded device.
struct Recorded {
    folder: tempfile::TempDir,
    device: Option<Device>,
    block_device: String,
}

impl Recorded {
    /// `None`, with a reason on stderr, where this machine cannot record.
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let made = Self::on(folder);
        made.map_err(|reason| {
            assert!(std::env::var_os("REWEAR_NEEDS_FUSE").is_none(), "{reason}");
            eprintln!("skipped: {reason} (set REWEAR_NEEDS_FUSE to fail instead)");
        })
        .ok()
    }

    fn on(folder: tempfile::TempDir) -> Result<Self, String> {
        let (device, root) = (folder.path().join("device"), folder.path().join("root"));
        [&device, &root].iter().for_each(|path| std::fs::create_dir(path).unwrap());
        let out = File::create(folder.path().join("trace.rwt")).unwrap();
        let device = match Device::mount(&device, 64 << 20, out, "a test", ContentColumn::Nothing) {
            Err(error @ RecordError::Mount { .. }) => return Err(error.to_string()),
            other => other.unwrap(),
        };
        let path = device.path();
        let attached = run("losetup", &["--show", "--direct-io=on", "--find", path.to_str().unwrap()]);
        let mut recorded = Self { folder, device: Some(device), block_device: attached? };
        recorded.make()?;
        Ok(recorded)
    }

    fn make(&mut self) -> Result<(), String> {
        let device = self.device.as_ref().unwrap();
        device.prepare();
        let extended = "nodiscard,lazy_itable_init=0,lazy_journal_init=0";
        run("mkfs.ext4", &["-q", "-b", "4096", "-E", extended, &self.block_device])?;
        device.begin().unwrap();
        let root = self.root();
        run("mount", &["-t", "ext4", "-o", "discard", &self.block_device, root.to_str().unwrap()]).map(drop)
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// Runs a script in the file system; who wrote.
    fn script(mut self, text: &str) -> Writers {
        let root = self.root();
        let done = Command::new("sh").args(["-e", "-c", text]).current_dir(&root).status().unwrap();
        assert!(done.success(), "{text}");
        run("umount", &[root.to_str().unwrap()]).unwrap();
        run("losetup", &["--detach", &self.block_device]).unwrap();
        let summary = self.device.take().unwrap().finish().recorded.unwrap();
        let trace = self.folder.path().join("trace.rwt");
        let found = who_writes(&trace).unwrap().unwrap();
        assert_eq!(found.written_bytes, summary.written_bytes);
        assert_adds_up(&trace, &found);
        found
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        if self.device.is_some() {
            let _ = run("umount", &[self.root().to_str().unwrap_or_default()]);
            let _ = run("losetup", &["--detach", &self.block_device]);
        }
    }
}

fn assert_adds_up(trace: &Path, found: &Writers) {
    let requests = info(&mut *open(trace, &OpenOptions::default()).unwrap()).unwrap();
    let sum = |bytes: fn(&rewear_trace::Writer) -> u64| found.writers.iter().map(bytes).sum::<u64>();
    assert_eq!(sum(|writer| writer.written_bytes), requests.write.bytes, "{found:#?}");
    assert_eq!(sum(|writer| writer.trimmed_bytes), requests.trim.bytes, "{found:#?}");
    assert!(found.writers.iter().all(|writer| writer.kind.is_some()), "{found:#?}");
}

fn written(found: &Writers, name: &str) -> u64 {
    let of =
        found.writers.iter().filter(|writer| writer.kind == Some(OwnerKind::File) && writer.name == name);
    of.map(|writer| writer.written_bytes).sum()
}

#[test]
fn bytes_are_told_to_files_by_their_names_at_the_time() {
    let Some(recorded) = Recorded::new() else { return };
    let found = recorded.script(
        "mkdir folder; dd if=/dev/urandom of=folder/large bs=64k count=16 conv=fsync 2>/dev/null
         for turn in 1 2 3; do dd if=/dev/urandom of=new bs=4k count=5 conv=fsync 2>/dev/null; mv new current; done
         dd if=/dev/urandom of=log bs=4k count=3 conv=fsync 2>/dev/null
         mv log log.1; dd if=/dev/urandom of=log bs=4k count=2 conv=fsync 2>/dev/null
         dd if=/dev/urandom of=folder/large bs=4k count=7 seek=9 conv=fsync,notrunc 2>/dev/null
         rm folder/large; sync",
    );
    assert_eq!(written(&found, "/folder/large"), (256 + 7) * 4096, "{found:#?}");
    assert_eq!(written(&found, "/new"), 15 * 4096, "{found:#?}");
    assert_eq!((written(&found, "/log"), written(&found, "/log.1")), (5 * 4096, 0), "{found:#?}");
    let large = found.writers.iter().find(|writer| writer.name == "/folder/large").unwrap();
    assert_eq!((large.rewrites, large.trimmed_bytes), (7, 1 << 20), "{found:#?}");
    assert!(found.preparation_bytes > 1 << 20);
    let journal = found.writers.iter().find(|writer| writer.kind == Some(OwnerKind::Journal)).unwrap();
    assert!(journal.written_bytes > 0 && journal.flushes > 0);
}

#[test]
fn a_file_in_many_parts_and_many_files_are_told() {
    let Some(recorded) = Recorded::new() else { return };
    // Holes between the parts make a tree of extents; so many names make a directory of several blocks.
    let found = recorded.script(
        "for part in $(seq 0 2 1200); do dd if=/dev/urandom of=holes bs=4k count=1 seek=$part conv=notrunc; done 2>/dev/null
         sync
         mkdir many; cd many; for file in $(seq 1 300); do head -c 5000 /dev/urandom > file-with-a-long-name-$file; done; sync
         cd ..; rm -r many; sync",
    );
    assert_eq!(written(&found, "/holes"), 601 * 4096, "{:#?}", &found.writers[..5]);
    for file in [1, 77, 300] {
        assert_eq!(written(&found, &format!("/many/file-with-a-long-name-{file}")), 8192);
    }
    let free = found.writers.iter().filter(|writer| writer.kind == Some(OwnerKind::Free));
    assert_eq!(free.map(|writer| writer.written_bytes).sum::<u64>(), 0);
}
