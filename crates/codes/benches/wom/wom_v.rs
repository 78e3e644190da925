//! WOM-v encode and decode of 4 KB logical pages, in and past the second-level cache.

use std::hint::black_box;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::wom_v::{Code, Invalid};

use crate::timing::{fastest, gb_per_s, print_throughput};

const PAGE_BYTES: usize = 4096;

type Work<'a> = &'a mut dyn FnMut(&mut Buffers);

struct Buffers {
    data: Vec<u8>,
    images: Vec<u8>,
    copy: Vec<u8>,
    invalid: Vec<Invalid>,
}

/// Prints the throughputs whose names contain `filter`; cell bytes count once for reading and once
/// for writing, as a copy's do.
pub(crate) fn run(filter: &str) {
    for (place, image_total) in [("in_l2", 128 << 10), ("past_l2", 16 << 20)] {
        for (k, n) in [(1, 4), (2, 4), (3, 4), (1, 5), (4, 5)] {
            let Ok(code) = Code::new(k, n) else { continue };
            measure(code, place, image_total, filter);
        }
    }
}

fn measure(code: Code, place: &str, image_total: usize, filter: &str) {
    let page = code.image_bytes(PAGE_BYTES);
    let pages = image_total / page;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut data = vec![0; pages * PAGE_BYTES];
    rng.fill_bytes(&mut data);
    let mut buffers = Buffers {
        data,
        images: vec![0; pages * page],
        copy: vec![1; pages * page],
        invalid: (0..pages).map(|_| Invalid::new(code.cells_for(PAGE_BYTES))).collect(),
    };
    let passes = ((256 << 20) / image_total as u32).clamp(40, 1000);
    let cell_bytes = 2 * pages * page;
    let copy = fastest(
        &mut buffers,
        passes,
        |_| (),
        |b| black_box(&mut b.copy).copy_from_slice(black_box(&b.images)),
    );
    let fill = |b: &mut Buffers| {
        for (image, data) in b.images.chunks_exact_mut(page).zip(b.data.chunks_exact(PAGE_BYTES).rev()) {
            code.encode_no_read(0, data, image).expect("sizes fit");
        }
    };
    let raise = |b: &mut Buffers| {
        let pages = b.images.chunks_exact_mut(page).zip(b.data.chunks_exact(PAGE_BYTES)).zip(&mut b.invalid);
        for ((image, data), invalid) in pages {
            black_box(code.encode(data, image, invalid)).expect("sizes fit");
        }
    };
    let memcpy = gb_per_s(cell_bytes, copy);
    let mut report = |what: &str, (bytes, counted): (usize, &str), prepare: Work, work: Work| {
        let name = format!("wom_v_{}_{}_{what}_{place}", code.data_bits(), code.cell_bits());
        if name.contains(filter) {
            let speed = gb_per_s(bytes, fastest(&mut buffers, passes, prepare, work));
            let unit = format!("GB/s of cell bytes {counted}");
            print_throughput(&name, speed, &unit, "the cell images", memcpy);
        }
    };
    report("encode", (cell_bytes, "read and written"), &mut { fill }, &mut { raise });
    report("encode_no_read", (cell_bytes / 2, "written"), &mut |_| (), &mut { fill });
    report("decode", (cell_bytes / 2, "read"), &mut |_| (), &mut |b| {
        for (image, data) in b.images.chunks_exact(page).zip(b.data.chunks_exact_mut(PAGE_BYTES)) {
            code.decode(image, data).expect("sizes fit");
        }
    });
}
