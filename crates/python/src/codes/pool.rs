//! Working memory that calls lend each other.

use std::sync::{Mutex, PoisonError};

/// Workspaces of one code; as many as there were calls at the same time.
pub(super) struct Pool<T>(Mutex<Vec<T>>);

impl<T> Pool<T> {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Runs `work` with a workspace that is free, or a new one. Call it with the GIL released.
    pub(super) fn with<R>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let free = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut workspace = free.unwrap_or_else(make);
        let result = work(&mut workspace);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(workspace);
        result
    }
}
