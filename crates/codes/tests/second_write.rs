//! First and second writes on whole pages with spare areas and metadata.

use proptest::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::CodeError;
use rewear_codes::polar_wom::{
    ATTEMPTS, Attempt, Effort, FIELD_BYTES, Field, PageCode, PagePair, PairWorkspace, PolarWom, Preset,
    Retry, SecondWrite, Workspace, first_write, read_first_write,
};

const PAGE: usize = 4096;

/// Two physical pages with their spare areas.
#[derive(Clone, PartialEq, Debug)]
struct Pair {
    pages: [Vec<u8>; 2],
    spares: [Vec<u8>; 2],
}

impl Pair {
    /// First writes of `data`, checked to read back and to program at most half of the cells.
    fn written(code: &PageCode, data: [&[u8]; 2]) -> Pair {
        let bytes = code.page_bytes();
        let mut pair = Pair { pages: [vec![0; bytes], vec![0; bytes]], spares: [vec![0; 300], vec![0; 300]] };
        for ((page, spare), data) in pair.pages.iter_mut().zip(&mut pair.spares).zip(data) {
            let mut field = [0; FIELD_BYTES];
            first_write(data, page, &mut field).expect("sizes fit");
            spare[..FIELD_BYTES].copy_from_slice(&field);
            let ones: usize = page.iter().map(|b| b.count_ones() as usize).sum();
            assert!(2 * ones <= 8 * bytes);
            let mut back = vec![0; bytes];
            read_first_write(page, field, &mut back).expect("the field is a first write's");
            assert_eq!(back, data);
        }
        pair
    }

    fn write(
        &mut self,
        code: &PageCode,
        work: &mut PairWorkspace,
        effort: Effort,
        data: &[u8],
        address: u64,
    ) -> Result<SecondWrite, CodeError> {
        let [page_0, page_1] = &mut self.pages;
        let [spare_0, spare_1] = &mut self.spares;
        let mut pair = PagePair { pages: [page_0, page_1], spares: [spare_0, spare_1], data, address };
        code.second_write(work, effort, &mut pair)
    }

    fn read(&self, code: &PageCode, work: &mut PairWorkspace, address: u64) -> Vec<u8> {
        let mut data = vec![0; code.page_bytes()];
        let [pages, spares] = [&self.pages, &self.spares].map(|both| [&both[0][..], &both[1][..]]);
        code.read(work, pages, spares, address, &mut data).expect("a second write");
        data
    }

    /// No cell of `old` is lower here, and nothing beyond the code's part of the spare area has
    /// changed.
    fn is_above(&self, old: &Pair, code: &PageCode) -> bool {
        let raised = |old: &[u8], new: &[u8]| old.iter().zip(new).all(|(old, new)| old & !new == 0);
        (0..2).all(|i| {
            raised(&old.pages[i], &self.pages[i])
                && raised(&old.spares[i], &self.spares[i])
                && old.spares[i][code.spare_bytes()..] == self.spares[i][code.spare_bytes()..]
        })
    }
}

fn random(rng: &mut Xoshiro256PlusPlus, bytes: usize) -> Vec<u8> {
    let mut data = vec![0; bytes];
    rng.fill_bytes(&mut data);
    data
}

#[test]
fn presets_have_the_sizes_of_the_paper() {
    for (preset, message_bits, raw_bytes) in [(Preset::Paper210, 29488, 205), (Preset::PaperP95, 28960, 238)]
    {
        let code = PageCode::new(PAGE, preset).unwrap();
        assert_eq!((code.polar().message_bits(), code.raw_bytes()), (message_bits, raw_bytes));
        // The paper leaves 6.5% of the page in the spare area to second writes.
        assert!(code.spare_bytes() <= PAGE * 65 / 1000);
    }
    for bytes in [0, 1, 63, 100, 1 << 17] {
        assert!(PageCode::new(bytes, Preset::Paper210).is_err());
    }
    assert!(PageCode::with_raw_bytes(PAGE, PAGE / 2, Retry::Rotation).is_err());
}

#[test]
fn second_writes_read_back_and_failures_leave_the_pages_alone() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(51);
    for (preset, effort) in [
        (Preset::Paper210, Effort::PAPER),
        (Preset::Paper210, Effort { attempts: 1, planned: false }),
        (Preset::PaperP95, Effort::FULL),
    ] {
        let code = PageCode::new(PAGE, preset).unwrap();
        let mut work = PairWorkspace::new(&code);
        let mut written = 0;
        for address in 0..43 {
            let first = [random(&mut rng, PAGE), random(&mut rng, PAGE)];
            let data = random(&mut rng, PAGE);
            let mut pair = Pair::written(&code, [&first[0], &first[1]]);
            let old = pair.clone();
            match pair.write(&code, &mut work, effort, &data, address).unwrap() {
                SecondWrite::Written { attempt, tries } => {
                    assert!(attempt < effort.attempts && tries <= effort.attempts);
                    assert!(pair.is_above(&old, &code));
                    assert_eq!(pair.read(&code, &mut work, address), data);
                    written += 1;
                }
                SecondWrite::Failed => assert_eq!(pair, old),
            }
        }
        assert!(written > 25, "{preset:?}: {written}");
        assert!(effort != Effort::FULL || written >= 41, "{written}");
    }
}

/// First writes and data that are anything but random. Cells in a pattern can determine any number
/// of message bits; what is written must read back all the same.
#[test]
fn adversarial_pages_are_written_right_or_not_at_all() {
    let code = PageCode::new(PAGE, Preset::Paper210).unwrap();
    let mut work = PairWorkspace::new(&code);
    let pattern = |kind: usize| -> Vec<u8> {
        (0..PAGE)
            .map(|i| match kind {
                0 => 0x00,
                1 => 0xff,
                2 => 0x55,
                3 => 0x0f,
                4 => [0x00, 0xff][i / (PAGE / 2)],
                5 => [0xff, 0x00][i % 2],
                6 => i as u8,
                _ => [0x00, 0xff][(i / 8) % 2],
            })
            .collect()
    };
    let mut failures = 0;
    for (a, b, data) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b, (a + 3 * b) % 8))) {
        let data = pattern(data);
        let mut pair = Pair::written(&code, [&pattern(a), &pattern(b)]);
        let old = pair.clone();
        let planned = code.plan(&mut work, [&pair.pages[0], &pair.pages[1]], ATTEMPTS).unwrap();
        match pair.write(&code, &mut work, Effort::FULL, &data, 9).unwrap() {
            SecondWrite::Written { .. } => {
                assert!(pair.is_above(&old, &code));
                assert_eq!(pair.read(&code, &mut work, 9), data);
            }
            SecondWrite::Failed => {
                assert!(planned.determined > 0, "D = 0 is a promise");
                assert_eq!(pair, old);
                failures += 1;
            }
        }
    }
    assert!(failures < 64, "erased cells take anything");
}

#[test]
fn a_plan_of_zero_is_kept_and_a_dither_code_reads_back() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(52);
    let code = PageCode::with_raw_bytes(1024, 60, Retry::Dither).unwrap();
    let mut work = PairWorkspace::new(&code);
    let mut seen = [0; 2];
    for address in 0..200 {
        let first = [random(&mut rng, 1024), random(&mut rng, 1024)];
        let data = random(&mut rng, 1024);
        let mut pair = Pair::written(&code, [&first[0], &first[1]]);
        let plan = code.plan(&mut work, [&pair.pages[0], &pair.pages[1]], ATTEMPTS).unwrap();
        let outcome = pair.write(&code, &mut work, Effort::FULL, &data, address).unwrap();
        let written = outcome != SecondWrite::Failed;
        assert!(written || plan.determined > 0);
        if written {
            assert_eq!(pair.read(&code, &mut work, address), data);
        }
        seen[usize::from(written)] += 1;
    }
    assert!(seen[1] > 50, "{seen:?}");
}

#[test]
fn metadata_survives_three_wrong_bits_a_field_or_the_loss_of_one() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(53);
    let code = PageCode::new(1024, Preset::PaperP95).unwrap();
    let mut work = PairWorkspace::new(&code);
    let mut pair = Pair::written(&code, [&random(&mut rng, 1024), &random(&mut rng, 1024)]);
    let data = random(&mut rng, 1024);
    let outcome = pair.write(&code, &mut work, Effort::FULL, &data, 3).unwrap();
    assert!(matches!(outcome, SecondWrite::Written { .. }));
    let mut hurt = pair.clone();
    hurt.spares[0][FIELD_BYTES] ^= 0b1001_0001;
    hurt.spares[1][FIELD_BYTES + 1] ^= 0b0000_0110;
    assert_eq!(hurt.read(&code, &mut work, 3), data);
    hurt.spares[0][FIELD_BYTES] ^= 0b0000_0100;
    assert_eq!(hurt.read(&code, &mut work, 3), data, "the other page's field is enough");
    let mut back = vec![0; 1024];
    let swapped = code.read(
        &mut work,
        [&pair.pages[1], &pair.pages[0]],
        [&pair.spares[1], &pair.spares[0]],
        3,
        &mut back,
    );
    assert!(swapped.is_err(), "the pages are in the wrong order");
    assert!(pair.write(&code, &mut work, Effort::FULL, &data, 3).is_err(), "there is no third write");
}

proptest! {
    #[test]
    fn garbage_and_wrong_sizes_are_errors_or_pages_but_never_panics(
        seed: u64,
        lengths in prop::array::uniform5(prop_oneof![Just(64usize), Just(18usize), 0usize..80]),
        attempts: u8, words in 0usize..40, attempt: u8,
    ) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let code = PageCode::with_raw_bytes(64, 14, Retry::Rotation).unwrap();
        let mut work = PairWorkspace::new(&code);
        let [a, b, c, d, e] = lengths.map(|length| random(&mut rng, length));
        let mut data = e.clone();
        let sizes = a.len() == 64 && b.len() == 64 && c.len() >= 18 && d.len() >= 18 && e.len() == 64;
        let read = code.read(&mut work, [&a, &b], [&c, &d], seed, &mut data);
        prop_assert!(sizes || read.is_err());
        let (mut a2, mut b2, mut c2, mut d2) = (a.clone(), b.clone(), c, d);
        if seed % 2 == 0 {
            c2.fill(0);
            d2.fill(0);
        }
        let effort = Effort { attempts, planned: attempt % 2 == 0 };
        let clean = c2.iter().chain(&d2).all(|byte| *byte == 0);
        let mut pair =
            PagePair { pages: [&mut a2, &mut b2], spares: [&mut c2, &mut d2], data: &e, address: 0 };
        let wrote = code.second_write(&mut work, effort, &mut pair);
        prop_assert!(!(sizes && clean && (1..=8).contains(&attempts)) || wrote.is_ok());
        prop_assert!(wrote.is_err() || (sizes && (1..=8).contains(&attempts)));
        let planned = code.plan(&mut work, [&a, &b], attempts);
        prop_assert_eq!(planned.is_ok(), a.len() == 64 && b.len() == 64 && (1..=8).contains(&attempts));

        let polar = code.polar();
        let (cells, mut message) = (vec![seed; words], vec![0; words / 2]);
        prop_assert!(polar.decode(&cells, 0, attempt, &mut message).is_ok() ==
            (words == polar.cell_words() && words / 2 == polar.message_words() && attempt < ATTEMPTS));
        prop_assert_eq!(polar.determined(&cells, attempt).is_ok(), words == polar.cell_words() && attempt < ATTEMPTS);
        let mut out = vec![0; words];
        let mut one = Attempt {
            programmed: &cells, message: &message, address: 0, attempt, rotation: 0, cells: &mut out, success: false,
        };
        let mut polar_work = Workspace::new(polar);
        let fits = words == polar.cell_words() && words / 2 == polar.message_words() && attempt < ATTEMPTS;
        prop_assert_eq!(polar_work.encode(polar, &mut one).is_ok(), fits);
    }

    #[test]
    fn impossible_polar_codes_are_errors(cells in 0usize..5000, bits in 0usize..5000) {
        let possible = cells.is_power_of_two() && cells >= 64 && (1..=cells).contains(&bits);
        prop_assert_eq!(PolarWom::new(cells, bits).is_ok(), possible);
    }

    #[test]
    fn fields_and_first_writes_read_garbage_without_panic(
        cells: [u8; 2], page in prop::collection::vec(any::<u8>(), 0..50), length in 0usize..50,
    ) {
        let mut data = vec![0; length];
        let read = read_first_write(&page, cells, &mut data);
        prop_assert!(read.is_err() || page.len() == length);
        let mut out = vec![0; length];
        let mut field = [0; FIELD_BYTES];
        prop_assert_eq!(first_write(&page, &mut out, &mut field).is_ok(), page.len() == length);
        let _ = Field::from_cells(cells, 0);
    }
}

#[test]
fn a_workspace_serves_its_own_code_only() {
    let (a, b) = (PolarWom::new(256, 100).unwrap(), PolarWom::new(512, 200).unwrap());
    let mut work = Workspace::new(&a);
    let mut cells = vec![0; 8];
    let mut one = Attempt {
        programmed: &[0; 8],
        message: &[0; 4],
        address: 0,
        attempt: 0,
        rotation: 0,
        cells: &mut cells,
        success: false,
    };
    assert!(work.encode(&b, &mut one).is_err());
    assert!(work.plan(&b, &[0; 8], 1).is_err());
    assert!(work.determined(&b, &[0; 8], 0).is_err());
    assert!(work.decode(&b, &[0; 8], 0, 0, &mut [0; 4]).is_err());
    assert!(Workspace::new(&b).encode(&b, &mut one).is_ok());
}
