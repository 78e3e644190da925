//! Callbacks of nbdkit. Each catches panics: one must not take the server, and other
//! clients' connections, with it.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rewear_live::{Extent, LiveDrive, LiveError, LiveOptions, control};

use crate::abi::{self, Plugin};
use crate::ending;

/// The file that holds the options.
static OPTIONS: Mutex<Option<PathBuf>> = Mutex::new(None);
static DRIVE: OnceLock<Arc<LiveDrive>> = OnceLock::new();
/// The handle of all connections: they have nothing of their own.
static CONNECTION: u8 = 0;

struct Registered(std::cell::UnsafeCell<Plugin>);
// SAFETY: only nbdkit, on its one thread at start, reads it, after it was built as a constant.
unsafe impl Sync for Registered {}

static PLUGIN: Registered = Registered(std::cell::UnsafeCell::new(Plugin {
    struct_size: size_of::<Plugin>() as u64,
    api_version: abi::API_VERSION,
    thread_model: abi::THREAD_MODEL_PARALLEL,
    name: c"rewear".as_ptr(),
    longname: c"Rewear live drive".as_ptr(),
    version: VERSION.as_ptr().cast(),
    description: c"A modelled flash drive that keeps its data in modelled cells".as_ptr(),
    load: None,
    unload: None,
    config: Some(config),
    config_complete: Some(config_complete),
    config_help: c"options=FILE  (required) JSON file with the options; `rewear serve` writes it".as_ptr(),
    open: Some(open),
    close: None,
    get_size: Some(get_size),
    can_write: Some(yes),
    can_flush: Some(yes),
    is_rotational: Some(no),
    can_trim: Some(yes),
    version_1: [None; 5],
    errno_is_preserved: 0,
    dump_plugin: None,
    can_zero: Some(yes),
    can_fua: Some(can_fua),
    pread: Some(pread),
    pwrite: Some(pwrite),
    flush: Some(flush),
    trim: Some(trim),
    zero: Some(zero),
    magic_config_key: c"options".as_ptr(),
    can_multi_conn: Some(yes),
    can_extents: Some(yes),
    extents: Some(extents),
    can_cache: None,
    cache: None,
    thread_model_now: Some(thread_model),
    can_fast_zero: Some(yes),
    preconnect: None,
    get_ready: Some(get_ready),
    after_fork: Some(after_fork),
    list_exports: None,
    default_export: None,
    export_description: None,
    cleanup: Some(cleanup),
    block_size: Some(block_size),
}));

const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

/// Where nbdkit begins.
#[unsafe(no_mangle)]
extern "C" fn plugin_init() -> *mut c_void {
    PLUGIN.0.get().cast()
}

/// Acts on the drive; 0, or -1 after telling nbdkit why not.
fn attempt(act: impl FnOnce() -> Result<(), LiveError>) -> c_int {
    match catch_unwind(AssertUnwindSafe(act)) {
        Ok(Ok(())) => 0,
        // Said once, when the drive wore out: a host that goes on would fill the log.
        Ok(Err(error @ LiveError::ReadOnly)) => answer(errno(&error)),
        Ok(Err(error)) => refuse(errno(&error), &error.to_string()),
        Err(_) => refuse(libc::EIO, &LiveError::Stopped.to_string()),
    }
}

fn refuse(errno: c_int, text: &str) -> c_int {
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    // SAFETY: both strings end in a zero and outlive the call; the format takes one string.
    unsafe { abi::nbdkit_error(c"%s".as_ptr(), text.as_ptr()) };
    answer(errno)
}

fn answer(errno: c_int) -> c_int {
    // SAFETY: any number may be passed.
    unsafe { abi::nbdkit_set_error(errno) };
    -1
}

fn errno(error: &LiveError) -> c_int {
    match error.kind() {
        ErrorKind::InvalidInput => libc::EINVAL,
        ErrorKind::StorageFull => libc::ENOSPC,
        ErrorKind::ReadOnlyFilesystem => libc::EROFS,
        _ => libc::EIO,
    }
}

fn drive() -> Result<&'static Arc<LiveDrive>, LiveError> {
    DRIVE.get().ok_or(LiveError::Stopped)
}

fn text<'a>(string: *const c_char) -> &'a [u8] {
    // SAFETY: nbdkit passes strings that end in a zero and live at least as long as the callback.
    unsafe { CStr::from_ptr(string) }.to_bytes()
}

extern "C" fn config(key: *const c_char, value: *const c_char) -> c_int {
    use std::os::unix::ffi::OsStrExt;
    attempt(|| {
        if text(key) != b"options" {
            let key = String::from_utf8_lossy(text(key)).into_owned();
            return Err(LiveError::Options(format!("there is no parameter {key}; give options=FILE")));
        }
        let path = PathBuf::from(std::ffi::OsStr::from_bytes(text(value)));
        *OPTIONS.lock().unwrap_or_else(PoisonError::into_inner) = Some(path);
        Ok(())
    })
}

extern "C" fn config_complete() -> c_int {
    attempt(|| match *OPTIONS.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(_) => Ok(()),
        None => Err(LiveError::Options("options=FILE is missing; `rewear serve` writes one".to_owned())),
    })
}

fn read_options() -> Result<LiveOptions, LiveError> {
    let path = OPTIONS.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default();
    let text = std::fs::read_to_string(&path).map_err(|source| LiveError::File { path, source })?;
    LiveOptions::from_json(&text)
}

/// nbdkit 1.32 dies of an assertion if a client hangs up while several threads answer it, so one
/// answers, unless the options say otherwise.
extern "C" fn thread_model() -> c_int {
    match read_options() {
        Ok(options) if options.parallel_requests => abi::THREAD_MODEL_PARALLEL,
        _ => abi::THREAD_MODEL_SERIALIZE_REQUESTS,
    }
}

/// Opens the drive while the server can still say on the terminal why not.
extern "C" fn get_ready() -> c_int {
    attempt(|| {
        let drive = LiveDrive::open(read_options()?)?;
        // nbdkit calls this once.
        let _ = DRIVE.set(Arc::new(drive));
        Ok(())
    })
}

/// Threads begin here, in the process that stays.
extern "C" fn after_fork() -> c_int {
    attempt(|| {
        let drive = drive()?;
        drive.begin()?;
        if let Some(parent) = drive.options().parent {
            ending::with_parent(parent, Arc::clone(drive))?;
        }
        match &drive.options().control {
            Some(path) => control::listen(path, Arc::clone(drive), ending::soon),
            None => Ok(()),
        }
    })
}

extern "C" fn cleanup() {
    attempt(|| DRIVE.get().map_or(Ok(()), |drive| drive.finish()));
}

extern "C" fn open(_read_only: c_int) -> *mut c_void {
    (&raw const CONNECTION).cast_mut().cast()
}

extern "C" fn get_size(_handle: *mut c_void) -> i64 {
    let mut size = -1;
    attempt(|| {
        size = i64::try_from(drive()?.size_bytes()).unwrap_or(i64::MAX);
        Ok(())
    });
    size
}

extern "C" fn yes(_handle: *mut c_void) -> c_int {
    1
}

extern "C" fn no(_handle: *mut c_void) -> c_int {
    0
}

extern "C" fn can_fua(_handle: *mut c_void) -> c_int {
    abi::FUA_NATIVE
}

extern "C" fn block_size(
    _handle: *mut c_void,
    minimum: *mut u32,
    preferred: *mut u32,
    maximum: *mut u32,
) -> c_int {
    const SMALLEST_PREFERRED: u32 = 512;
    const LARGEST_PREFERRED: u32 = 1 << 25;
    attempt(|| {
        // The protocol has only powers of two; below it a page is read, changed and written.
        let page = drive()?.page_bytes().next_power_of_two().clamp(SMALLEST_PREFERRED, LARGEST_PREFERRED);
        // SAFETY: nbdkit passes three places for numbers.
        unsafe {
            *minimum = 1;
            *preferred = page;
            *maximum = u32::MAX;
        }
        Ok(())
    })
}

extern "C" fn pread(
    _handle: *mut c_void,
    buffer: *mut c_void,
    count: u32,
    offset: u64,
    _flags: u32,
) -> c_int {
    attempt(|| {
        // SAFETY: nbdkit passes a buffer of `count` bytes that is this call's own. Bytes need no
        // initialisation to be written, and are written before they are read.
        let bytes = unsafe {
            std::ptr::write_bytes(buffer.cast::<u8>(), 0, count as usize);
            std::slice::from_raw_parts_mut(buffer.cast::<u8>(), count as usize)
        };
        drive()?.read(offset, bytes)
    })
}

extern "C" fn pwrite(
    _handle: *mut c_void,
    buffer: *const c_void,
    count: u32,
    offset: u64,
    flags: u32,
) -> c_int {
    attempt(|| {
        // SAFETY: nbdkit passes a buffer of `count` bytes that nobody changes during the call.
        let bytes = unsafe { std::slice::from_raw_parts(buffer.cast::<u8>(), count as usize) };
        drive()?.write(offset, bytes, flags & abi::FLAG_FUA != 0)
    })
}

extern "C" fn flush(_handle: *mut c_void, _flags: u32) -> c_int {
    attempt(|| drive()?.flush())
}

extern "C" fn trim(_handle: *mut c_void, count: u32, offset: u64, flags: u32) -> c_int {
    attempt(|| drive()?.trim(offset, u64::from(count), flags & abi::FLAG_FUA != 0))
}

extern "C" fn zero(_handle: *mut c_void, count: u32, offset: u64, flags: u32) -> c_int {
    let may_trim = flags & abi::FLAG_MAY_TRIM != 0;
    if flags & abi::FLAG_FAST_ZERO != 0 && !may_trim {
        // Zeros that must be written take as long as any data.
        return refuse(libc::EOPNOTSUPP, "zeros that may not be trimmed are no faster than a write");
    }
    attempt(|| drive()?.zero(offset, u64::from(count), may_trim, flags & abi::FLAG_FUA != 0))
}

extern "C" fn extents(
    _handle: *mut c_void,
    count: u32,
    offset: u64,
    flags: u32,
    answer: *mut c_void,
) -> c_int {
    let one = flags & abi::FLAG_REQ_ONE != 0;
    attempt(|| {
        let mut add = |extent: Extent| {
            let kind = if extent.holds_data { abi::EXTENT_DATA } else { abi::EXTENT_HOLE_ZERO };
            // SAFETY: `answer` is nbdkit's, for this call.
            let added =
                unsafe { abi::nbdkit_add_extent(answer, extent.offset_bytes, extent.length_bytes, kind) };
            added == 0 && !one
        };
        drive()?.extents(offset, u64::from(count), &mut add)
    })
}
