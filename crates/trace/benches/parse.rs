//! Speed of the readers and generators: `cargo bench -p rewear-trace`.

fn main() {
    divan::main();
}
