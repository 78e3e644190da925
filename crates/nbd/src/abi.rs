//! nbdkit's plugin interface, version 2, as nbdkit-plugin(3) and nbdkit-plugin.h describe it.
//!
//! The crates that wrap it have no block-size callback and abort the server on flags that they do
//! not know.

use std::ffi::{c_char, c_int, c_void};

/// One request of a connection at a time, on any number of connections.
pub(crate) const THREAD_MODEL_SERIALIZE_REQUESTS: c_int = 2;
/// Any number of requests at a time, on any number of connections.
pub(crate) const THREAD_MODEL_PARALLEL: c_int = 3;
pub(crate) const API_VERSION: c_int = 2;

/// `can_fua`: the plugin obeys the flag itself.
pub(crate) const FUA_NATIVE: c_int = 2;

pub(crate) const FLAG_MAY_TRIM: u32 = 1 << 0;
pub(crate) const FLAG_FUA: u32 = 1 << 1;
pub(crate) const FLAG_REQ_ONE: u32 = 1 << 2;
pub(crate) const FLAG_FAST_ZERO: u32 = 1 << 3;

/// Types of extents: data, or a hole that reads as zeros.
pub(crate) const EXTENT_DATA: u32 = 0;
pub(crate) const EXTENT_HOLE_ZERO: u32 = 3;

type Handle = *mut c_void;
type Ask = extern "C" fn(Handle) -> c_int;
type Step = extern "C" fn() -> c_int;
type Unused = Option<extern "C" fn()>;

/// `struct nbdkit_plugin`. Fields may be added at its end, never changed.
#[repr(C)]
pub(crate) struct Plugin {
    pub(crate) struct_size: u64,
    pub(crate) api_version: c_int,
    pub(crate) thread_model: c_int,
    pub(crate) name: *const c_char,
    pub(crate) longname: *const c_char,
    pub(crate) version: *const c_char,
    pub(crate) description: *const c_char,
    pub(crate) load: Unused,
    pub(crate) unload: Unused,
    pub(crate) config: Option<extern "C" fn(*const c_char, *const c_char) -> c_int>,
    pub(crate) config_complete: Option<Step>,
    pub(crate) config_help: *const c_char,
    pub(crate) open: Option<extern "C" fn(c_int) -> Handle>,
    pub(crate) close: Option<extern "C" fn(Handle)>,
    pub(crate) get_size: Option<extern "C" fn(Handle) -> i64>,
    pub(crate) can_write: Option<Ask>,
    pub(crate) can_flush: Option<Ask>,
    pub(crate) is_rotational: Option<Ask>,
    pub(crate) can_trim: Option<Ask>,
    /// Callbacks of interface version 1.
    pub(crate) version_1: [Unused; 5],
    pub(crate) errno_is_preserved: c_int,
    pub(crate) dump_plugin: Unused,
    pub(crate) can_zero: Option<Ask>,
    pub(crate) can_fua: Option<Ask>,
    pub(crate) pread: Option<extern "C" fn(Handle, *mut c_void, u32, u64, u32) -> c_int>,
    pub(crate) pwrite: Option<extern "C" fn(Handle, *const c_void, u32, u64, u32) -> c_int>,
    pub(crate) flush: Option<extern "C" fn(Handle, u32) -> c_int>,
    pub(crate) trim: Option<extern "C" fn(Handle, u32, u64, u32) -> c_int>,
    pub(crate) zero: Option<extern "C" fn(Handle, u32, u64, u32) -> c_int>,
    pub(crate) magic_config_key: *const c_char,
    pub(crate) can_multi_conn: Option<Ask>,
    pub(crate) can_extents: Option<Ask>,
    pub(crate) extents: Option<extern "C" fn(Handle, u32, u64, u32, *mut c_void) -> c_int>,
    pub(crate) can_cache: Unused,
    pub(crate) cache: Unused,
    /// The model that holds, at most the one above; asked once the configuration is complete.
    pub(crate) thread_model_now: Option<Step>,
    pub(crate) can_fast_zero: Option<Ask>,
    pub(crate) preconnect: Unused,
    pub(crate) get_ready: Option<Step>,
    pub(crate) after_fork: Option<Step>,
    pub(crate) list_exports: Unused,
    pub(crate) default_export: Unused,
    pub(crate) export_description: Unused,
    pub(crate) cleanup: Option<extern "C" fn()>,
    pub(crate) block_size: Option<extern "C" fn(Handle, *mut u32, *mut u32, *mut u32) -> c_int>,
}

unsafe extern "C" {
    /// Notes a message for the log and, while the server starts, for the terminal.
    pub(crate) fn nbdkit_error(format: *const c_char, ...);
    /// The error that the client is told of a request that failed.
    pub(crate) fn nbdkit_set_error(errno: c_int);
    /// Adds an extent to an answer, in ascending order.
    pub(crate) fn nbdkit_add_extent(extents: *mut c_void, offset: u64, length: u64, kind: u32) -> c_int;
}
