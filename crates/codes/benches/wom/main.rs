//! Speed of the WOM codes as a ratio to a copy of the same buffers in the same run: `cargo bench -p rewear-codes --bench wom`.

mod timing;
mod wom_v;

fn main() {
    wom_v::run();
}
