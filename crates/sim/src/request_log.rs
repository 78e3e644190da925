//! Every request with its response time, on demand, in columns.

use rewear_flash::Nanos;
use rewear_trace::Request;

/// Rows handed over at a time.
const ROWS: usize = 1 << 18;

/// Some rows, column by column; all columns have the same length.
#[derive(Debug, Default)]
pub struct Columns {
    /// Arrival in nanoseconds.
    pub at_ns: Vec<u64>,
    /// Code of the operation: 0 read, 1 write, 2 overwrite, 3 trim, 4 flush.
    pub operation: Vec<u8>,
    /// First byte.
    pub offset_bytes: Vec<u64>,
    /// Length.
    pub length_bytes: Vec<u64>,
    /// Response time in nanoseconds.
    pub response_ns: Vec<u64>,
}

/// Hands the rows of a replay to `write`, a quarter of a million at a time.
pub struct RequestLog<'a> {
    columns: Columns,
    write: &'a mut dyn FnMut(&Columns) -> Result<(), String>,
}

impl<'a> RequestLog<'a> {
    /// `write` stores rows, or says in words why it cannot.
    pub fn new(write: &'a mut dyn FnMut(&Columns) -> Result<(), String>) -> RequestLog<'a> {
        RequestLog { columns: Columns::default(), write }
    }

    /// A request arrived at `at_ns` and ended at `end_ns`.
    ///
    /// # Errors
    /// Those of `write`.
    pub fn request(&mut self, request: &Request, at_ns: Nanos, end_ns: Nanos) -> Result<(), String> {
        self.columns.at_ns.push(at_ns);
        self.columns.operation.push(request.operation as u8);
        self.columns.offset_bytes.push(request.offset_bytes);
        self.columns.length_bytes.push(request.length_bytes);
        self.columns.response_ns.push(end_ns - at_ns);
        if self.columns.at_ns.len() == ROWS { self.flush() } else { Ok(()) }
    }

    /// Hands over what is left.
    ///
    /// # Errors
    /// Those of `write`.
    pub fn flush(&mut self) -> Result<(), String> {
        (self.write)(&self.columns)?;
        self.columns.at_ns.clear();
        self.columns.operation.clear();
        self.columns.offset_bytes.clear();
        self.columns.length_bytes.clear();
        self.columns.response_ns.clear();
        Ok(())
    }
}
