//! The presets are compiled in; a new or changed one must rebuild the crate.

fn main() {
    println!("cargo:rerun-if-changed=../../presets");
}
