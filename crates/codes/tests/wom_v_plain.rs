//! Cells without a code.

use proptest::prelude::*;
use rewear_codes::CodeError;
use rewear_codes::wom_v::Plain;

proptest! {
    #[test]
    fn what_is_written_is_read(n in 1u8..=6, data in prop::collection::vec(any::<u8>(), 0..200)) {
        let cells = Plain::new(n)?;
        let mut image = vec![0xff; cells.image_bytes(data.len())];
        cells.encode(&data, &mut image)?;
        let mut back = vec![0; data.len()];
        cells.decode(&image, &mut back)?;
        prop_assert_eq!(back, data);
    }
}

#[test]
fn cells_of_four_bits_hold_the_bytes_as_they_are_and_others_have_no_higher_levels() -> Result<(), CodeError> {
    let data: Vec<u8> = (0..=255).collect();
    let mut image = vec![0; 256];
    Plain::new(4)?.encode(&data, &mut image)?;
    assert_eq!(image, data);
    assert!(Plain::new(3)?.decode(&[0x80, 0, 0], &mut [0; 2]).is_err());
    assert!(Plain::new(7).is_err() && Plain::new(4)?.encode(&data, &mut image[1..]).is_err());
    Ok(())
}
