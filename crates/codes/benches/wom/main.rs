//! Speed of the WOM codes as a ratio to a copy of the same buffers in the same run: `cargo bench -p
//! rewear-codes --bench wom [-- FILTER]`. Prints one JSON object a line: name, value, unit,
//! compared_with, ratio.

mod coset;
mod polar_wom;
mod timing;
mod wom_v;

fn main() {
    // Cargo adds `--bench`, and `make bench` the word `large`.
    let is_filter = |argument: &String| !argument.starts_with("--") && argument != "large";
    let filter = std::env::args().skip(1).find(is_filter).unwrap_or_default();
    coset::run(&filter);
    polar_wom::run(&filter);
    wom_v::run(&filter);
}
