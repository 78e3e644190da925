//! How often random data fits on the same cells without an erase, under each WOM-v code of QLC
//! cells.
//!
//! `cargo run --release -p rewear-codes --example write_again`

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::CodeError;
use rewear_codes::wom_v::{Code, EccThreshold, Invalid};

const PAGE_BYTES: usize = 4096;

fn main() -> Result<(), CodeError> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for k in 1..=3 {
        let code = Code::new(k, 4)?;
        let (mut data, mut read) = ([0; PAGE_BYTES], [0; PAGE_BYTES]);
        let mut image = vec![0; code.image_bytes(PAGE_BYTES)];
        let mut invalid = Invalid::new(code.cells_for(PAGE_BYTES));
        let most = EccThreshold::PAPER.limit(invalid.cells());
        let mut writes = 0;
        while invalid.count() <= most {
            rng.fill_bytes(&mut data);
            code.encode(&data, &mut image, &mut invalid)?;
            writes += 1;
        }
        code.decode(&image, &mut read)?;
        let wrong = data.iter().zip(&read).filter(|(wrote, read)| wrote != read).count();
        println!(
            "{code}: {writes} writes between two erases; after the last {} of {} cells are left to the ECC, {wrong} bytes wrong before it",
            invalid.count(),
            invalid.cells(),
        );
    }
    Ok(())
}
