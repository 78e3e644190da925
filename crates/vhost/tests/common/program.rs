//! The server as a program.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)] // Each user needs a part of it.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(120);

pub struct Server {
    pub process: Child,
    folder: PathBuf,
}

impl Server {
    /// Serves a drive in an image.
    pub fn start(folder: &Path, socket: &Path) -> Server {
        Server::start_with(folder, socket, &[], serde_json::json!({ "image": folder.join("image") }))
    }

    /// Serves a drive with these settings and options.
    pub fn start_with(folder: &Path, socket: &Path, settings: &[(&str, &str)], options: Value) -> Server {
        let mut options = options;
        options["drive"] = serde_json::json!(crate::common::options(settings).drive);
        options["control"] = serde_json::json!(folder.join("control"));
        options["transport"] = "vhost-user".into();
        std::fs::write(folder.join("options"), options.to_string()).unwrap();
        let process = Command::new(env!("CARGO_BIN_EXE_rewear-vhost-user-blk"))
            .args([&folder.join("options"), socket])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Server { process, folder: folder.to_owned() }
    }

    pub fn ready(mut self) -> Server {
        let began = Instant::now();
        while UnixStream::connect(self.folder.join("control")).is_err() {
            assert!(began.elapsed() < PATIENCE, "the server does not come up");
            assert!(self.process.try_wait().unwrap().is_none(), "{}", self.said());
            std::thread::yield_now();
        }
        self
    }

    pub fn said(&mut self) -> String {
        std::io::read_to_string(self.process.stderr.take().unwrap()).unwrap()
    }

    pub fn ask(&self, request: &str) -> String {
        let mut link = UnixStream::connect(self.folder.join("control")).unwrap();
        link.write_all(format!("{request}\n").as_bytes()).unwrap();
        let mut answer = String::new();
        BufReader::new(link).read_line(&mut answer).unwrap();
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
