//! Counts the requests of a trace in any known format, plain or compressed, and the bytes that they
//! write.
//!
//! `cargo run --release -p rewear-trace --example requests -- TRACE`

use rewear_trace::{Batch, OpenOptions, Operation, Source, TraceError};

fn main() -> Result<(), TraceError> {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: requests TRACE");
        std::process::exit(2);
    };
    let mut trace = rewear_trace::open(path.as_ref(), &OpenOptions::default())?;
    println!("format: {}", trace.description().format);
    let mut batch = Batch::default();
    let (mut requests, mut written_bytes) = (0_u64, 0_u64);
    while trace.fill(&mut batch)? > 0 {
        for request in &batch.requests {
            requests += 1;
            if request.operation == Operation::Write {
                written_bytes += request.length_bytes;
            }
        }
    }
    println!("{requests} requests, {written_bytes} bytes written");
    Ok(())
}
