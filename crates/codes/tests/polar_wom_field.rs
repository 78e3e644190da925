//! The field of attempts beside a polar WOM code.

use rewear_codes::polar_wom::Field;

#[test]
fn every_pattern_of_up_to_three_errors_is_corrected_and_four_are_noticed() {
    for number in 0..32 {
        let field = Field::new(number).unwrap();
        let cells = u16::from_le_bytes(field.to_cells());
        for errors in (0..=u16::MAX).filter(|errors| errors.count_ones() <= 4) {
            let read = Field::from_cells((cells ^ errors).to_le_bytes(), 0);
            assert_eq!(read.ok(), (errors.count_ones() <= 3).then_some(field), "{number} {errors:#x}");
        }
    }
    assert!(Field::new(32).is_err());
    assert_eq!(Field::ERASED.to_cells(), [0, 0]);
}
