//! Speed of the WOM codes as a ratio to a copy of the same buffers in the same run: `cargo bench -p
//! rewear-codes --bench wom`. Prints one JSON object a line: name, value, unit, compared_with,
//! ratio.

mod polar_wom;
mod timing;
mod wom_v;

fn main() {
    polar_wom::run();
    wom_v::run();
}
