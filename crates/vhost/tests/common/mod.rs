//! Small live drives behind a socket.
#![allow(dead_code, unreachable_pub)] // Each test file uses its own part.

pub mod driver;
pub mod program;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rewear_live::{LiveDrive, LiveOptions};
use rewear_sim::Drive;

/// 16 MiB of flash, of which about a half is exported, so that cleaning begins soon.
const SMALL: &str = r#"
name = "a drive with a name of more than twenty bytes"
[flash]
channels = 2
dies_per_channel = 1
planes_per_die = 2
blocks_per_plane = 32
pages_per_block = 32
page_bytes = 4096
bits_per_cell = 4
medium = "stored"
[flash.timing]
read_ns = [50_000]
program_ns = [600_000]
erase_ns = 2_000_000
channel_mb_per_s = 400
[ftl]
over_provisioning = 0.9
"#;

/// The small drive with further settings.
pub fn options(settings: &[(&str, &str)]) -> LiveOptions {
    let owned: Vec<_> = settings.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    match Drive::from_toml(SMALL, "small", &owned) {
        Ok(drive) => LiveOptions::new(drive.configuration().clone()),
        Err(error) => panic!("{error}"),
    }
}

/// A server on a thread of this process, which goes on until the process ends.
pub fn served(folder: &Path, settings: &[(&str, &str)]) -> (PathBuf, Arc<LiveDrive>) {
    let socket = folder.join("disk");
    let drive = Arc::new(LiveDrive::open(options(settings)).expect("the drive opens"));
    let listener = rewear_vhost::bind(&socket).expect("the socket is free");
    let served = Arc::clone(&drive);
    std::thread::spawn(move || rewear_vhost::serve(listener, &served));
    (socket, drive)
}
