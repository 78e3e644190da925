//! Coset codes of 16 KiB logical pages: the last write over levels of the writes before it, and its
//! read.

use std::hint::black_box;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::coset::{Code, Writer};
use rewear_codes::isa::Isa;

use crate::timing::{fastest, gb_per_s, print_throughput};

const PAGE_BYTES: usize = 16 << 10;
const PAGES: usize = 8;
const PASSES: u32 = 30;

struct Buffers {
    data: Vec<Vec<u8>>,
    before: Vec<Vec<u8>>,
    images: Vec<Vec<u8>>,
}

/// Prints the throughputs of logical data whose names contain `filter`.
pub(crate) fn run(filter: &str) {
    for (bits, rate, writes) in
        [(4, 0.857, 2), (4, 0.833, 2), (4, 0.6, 6), (4, 0.5, 9), (3, 0.8, 2), (2, 0.75, 2)]
    {
        let Ok(code) = Code::new(bits, rate, PAGE_BYTES, writes) else { continue };
        for isa in Isa::available() {
            measure(&code, isa, filter);
        }
    }
}

fn measure(code: &Code, isa: Isa, filter: &str) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut random = || -> Vec<Vec<u8>> {
        let mut pages = vec![vec![0; PAGE_BYTES]; PAGES];
        pages.iter_mut().for_each(|page| rng.fill_bytes(page));
        pages
    };
    let mut writer = Writer::with_isa(code, isa);
    let last = code.writes() - 1;
    let mut before = vec![vec![0; code.image_bytes()]; PAGES];
    for write in 0..last {
        for (image, data) in before.iter_mut().zip(random()) {
            writer.write(code, write, &data, image).expect("sizes fit");
        }
    }
    let images = before.clone();
    let mut buffers = Buffers { data: random(), before, images };
    let copy = fastest(&mut buffers, PASSES, |_| (), copy_levels);
    let copied = gb_per_s(PAGES * PAGE_BYTES, copy);
    let mut report = |what: &str, prepare: fn(&mut Buffers), work: &mut dyn FnMut(&mut Buffers)| {
        let rate = (1000.0 * code.rate()).round();
        let name = format!("coset_{}_{rate}_{}_{what}_{}", code.bits(), code.writes(), isa.name());
        if name.contains(filter) {
            let time = fastest(&mut buffers, PASSES, prepare, work);
            let speed = gb_per_s(PAGES * PAGE_BYTES, time);
            print_throughput(&name, speed, "GB/s of logical data", "the cell images", copied);
        }
    };
    report("encode", copy_levels, &mut |b| {
        for (image, data) in b.images.iter_mut().zip(&b.data) {
            black_box(writer.write(code, last, data, image)).expect("sizes fit");
        }
    });
    report("decode", |_| (), &mut |b| {
        for (image, data) in b.images.iter().zip(&mut b.data) {
            code.decode_with(isa, last, image, data).expect("sizes fit");
        }
    });
}

fn copy_levels(buffers: &mut Buffers) {
    for (from, to) in buffers.before.iter().zip(&mut buffers.images) {
        black_box(to).copy_from_slice(black_box(from));
    }
}
