//! A trace that is being written: a file beside its name, which it gets when it is whole, so that
//! half a trace is never taken for a whole one.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rewear_trace::ContentColumn;
use tempfile::TempPath;

/// A trace without its name. Dropped, it is removed.
#[derive(Debug)]
pub struct Unfinished {
    beside: TempPath,
    path: PathBuf,
}

impl Unfinished {
    /// A new file for the trace `path`. Its name is one that nobody can have planted a link at. What
    /// tells of contents is for the owner alone (mode 0600).
    ///
    /// # Errors
    /// A folder that is missing or cannot be written to.
    pub fn create(path: &Path, content: ContentColumn) -> io::Result<(File, Unfinished)> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut file = tempfile::Builder::new();
        file.prefix(".rewear-").suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = if content == ContentColumn::Nothing { 0o666 } else { 0o600 };
            file.permissions(std::fs::Permissions::from_mode(mode));
        }
        let (file, beside) = file.tempfile_in(folder.unwrap_or(Path::new(".")))?.into_parts();
        Ok((file, Unfinished { beside, path: path.to_owned() }))
    }

    /// The file beside the trace's name.
    pub fn path(&self) -> &Path {
        &self.beside
    }

    /// Makes a trace whose writer failed whole up to its last whole block, and gives it its name;
    /// its requests. Without any it is removed.
    ///
    /// # Errors
    /// Those of the system.
    pub fn salvage(self) -> io::Result<u64> {
        let requests = rewear_trace::salvage(&self.beside)?;
        if requests > 0 {
            self.keep()?;
        }
        Ok(requests)
    }

    /// Gives the trace its name.
    ///
    /// # Errors
    /// A folder that is gone or cannot be written to.
    pub fn keep(self) -> io::Result<()> {
        Ok(self.beside.persist(&self.path)?)
    }
}
