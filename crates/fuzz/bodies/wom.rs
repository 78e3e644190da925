//! The codes that write again, on any cells and data. A write that succeeds must be readable and
//! must not erase a cell.

use rewear_codes::coset;
use rewear_codes::flip_n_write::FlipNWrite;
use rewear_codes::polar_wom::{
    Effort, PageCode, PagePair, PairWorkspace, PolarWom, Retry, SecondWrite, Workspace, read_first_write,
};
use rewear_codes::rivest_shamir::{Generation, Table};
use rewear_codes::wom_v::{Code, Invalid};

use crate::input::Input;

fn page_code(input: &mut Input<'_>) -> Option<PageCode> {
    let page_bytes = 64 << input.below(3);
    let retry = if input.below(2) == 0 { Retry::Rotation } else { Retry::Dither };
    PageCode::with_raw_bytes(page_bytes, input.below(page_bytes), retry).ok()
}

/// Reads pages and spare areas of any content as first and second writes.
pub fn polar_page_read(input: &[u8]) {
    let mut input = Input(input);
    let Some(code) = page_code(&mut input) else { return };
    let sizes =
        [input.about(code.page_bytes()), input.about(code.spare_bytes()), input.about(code.page_bytes())];
    let address = input.u64();
    let pages = [(); 2].map(|()| input.bytes(sizes[0]));
    let spares = [(); 2].map(|()| input.bytes(sizes[1]));
    let mut data = vec![0; sizes[2]];
    let mut work = PairWorkspace::new(&code);
    let pages = pages.each_ref().map(Vec::as_slice);
    let _ = code.read(&mut work, pages, spares.each_ref().map(Vec::as_slice), address, &mut data);
    let _ = code.plan(&mut work, pages, input.byte());
    let _ = read_first_write(pages[0], [input.byte(), input.byte()], &mut data);
}

/// Writes any data a second time over any cells.
pub fn polar_second_write(input: &[u8]) {
    let mut input = Input(input);
    let Some(code) = page_code(&mut input) else { return };
    let effort = Effort { attempts: input.below(10) as u8, planned: input.below(2) == 1 };
    let sizes =
        [input.about(code.page_bytes()), input.about(code.spare_bytes()), input.about(code.page_bytes())];
    let (address, dirt) = (input.u64(), input.byte());
    let data = input.bytes(sizes[2]);
    let before = [(); 2].map(|()| input.bytes(sizes[0]));
    let mut spares = [(); 2].map(|()| vec![0; sizes[1]]);
    if let Some(last) = spares[1].last_mut() {
        *last = dirt / 128;
    }
    let mut after = before.clone();
    let mut work = PairWorkspace::new(&code);
    let mut pair = PagePair {
        pages: after.each_mut().map(Vec::as_mut_slice),
        spares: spares.each_mut().map(Vec::as_mut_slice),
        data: &data,
        address,
    };
    match code.second_write(&mut work, effort, &mut pair) {
        Ok(SecondWrite::Written { attempt, .. }) => {
            assert!(attempt < effort.attempts);
            for (before, after) in before.concat().iter().zip(after.concat()) {
                assert_eq!(before & !after, 0, "a cell was erased");
            }
            let (pages, spares) = (after.each_ref().map(Vec::as_slice), spares.each_ref().map(Vec::as_slice));
            let mut read = vec![0; data.len()];
            code.read(&mut work, pages, spares, address, &mut read).expect("what was written can be read");
            assert_eq!(read, data);
        }
        _ => assert_eq!(after, before, "a write that failed changed its pages"),
    }
}

/// Decodes and plans on bitmaps of any content.
pub fn polar_decode(input: &[u8]) {
    let mut input = Input(input);
    let cells = 64 << input.below(4);
    let message_bits = usize::from(input.byte()) * cells / 255;
    let Ok(code) = PolarWom::new(cells, message_bits) else { return };
    let (address, attempt) = (input.u64(), input.byte());
    let mut message = vec![0; input.about(code.message_words())];
    let words = input.about(code.cell_words());
    let bitmap: Vec<u64> = (0..words).map(|_| input.u64()).collect();
    let decoded = code.decode(&bitmap, address, attempt, &mut message);
    let mut again = vec![0; message.len()];
    let repeated = Workspace::new(&code).decode(&code, &bitmap, address, attempt, &mut again);
    assert_eq!((decoded.is_ok(), message), (repeated.is_ok(), again));
    if let (Ok(determined), Ok(plan)) = (code.determined(&bitmap, 0), code.plan(&bitmap, attempt)) {
        assert!(plan.determined <= determined && determined <= message_bits);
    }
}

/// Writes any data over any levels, and reads any levels.
pub fn wom_v(input: &[u8]) {
    let mut input = Input(input);
    let Ok(code) = Code::new(input.below(8) as u8, input.below(8) as u8) else { return };
    let data_bytes = 2 * input.below(200) + input.below(2);
    let size = input.about(code.image_bytes(data_bytes));
    let generation = u32::from(input.byte());
    // Mostly levels that exist.
    let legal = if input.byte() < 200 { code.max_level() } else { 0xff };
    let legal = if code.cell_bits() <= 4 { legal & 15 | legal << 4 } else { legal };
    let mut image: Vec<u8> = input.bytes(size).iter().map(|byte| byte & legal).collect();
    let data = input.bytes(data_bytes);
    let mut read = vec![0; data_bytes];
    let _ = code.decode(&image, &mut read);
    let mut invalid = Invalid::new(input.about(code.cells_for(data_bytes)));
    let before = image.clone();
    let preview = code.preview(&data, &image, &invalid);
    let written = code.encode(&data, &mut image, &mut invalid);
    assert_eq!(preview, written);
    if written.is_err() {
        assert_eq!(image, before, "a refused write changed its page");
        return;
    }
    for cell in 0..code.cells_for(data_bytes) {
        let [before, after] =
            [&before, &image].map(|image| code.level(image, cell).expect("the cell is there"));
        assert!(after >= before, "cell {cell} fell");
    }
    code.decode(&image, &mut read).expect("what was written can be read");
    assert!(read == data || invalid.count() > 0);
    if code.encode_no_read(generation, &data, &mut image).is_ok() {
        code.decode(&image, &mut read).expect("what was written can be read");
        assert_eq!(read, data);
    }
}

/// Writes any data over any levels in any write of a coset code, and reads any levels.
pub fn coset(input: &[u8]) {
    let mut input = Input(input);
    let rate = f64::from(input.byte()) / 250.0;
    let (bits, data_bytes) = (input.below(6) as u8, input.below(300));
    let Ok(code) = coset::Code::new(bits, rate, data_bytes, input.below(8) as u32) else { return };
    let write = input.below(9) as u32;
    // Mostly levels that exist.
    let legal = if input.byte() < 200 { 0x11 * ((1 << code.bits()) - 1) } else { 0xff };
    let size = input.about(code.image_bytes());
    let mut image: Vec<u8> = input.bytes(size).iter().map(|byte| byte & legal).collect();
    let data = input.bytes(data_bytes);
    let mut read = vec![0; data_bytes];
    let _ = code.decode(write, &image, &mut read);
    let before = image.clone();
    let mut writer = coset::Writer::new(&code);
    let Ok(invalid) = writer.write(&code, write, &data, &mut image) else {
        assert_eq!(image, before, "a refused write changed its page");
        return;
    };
    for (before, after) in before.iter().zip(&image) {
        assert!(after & 15 >= before & 15 && after >> 4 >= before >> 4, "a cell fell");
    }
    coset::correct(&mut image, invalid);
    code.decode(write, &image, &mut read).expect("what was written can be read");
    assert_eq!(read, data);
}

/// Writes any data in either generation over any cells, and reads any cells.
pub fn rivest_shamir(input: &[u8]) {
    let mut input = Input(input);
    let table = [Table::SECOND_WRITE, Table::SEAL][input.below(2)];
    let generation = [Generation::First, Generation::Second][input.below(2)];
    let data_bytes = input.below(64);
    let size = input.about(table.image_bytes(data_bytes));
    let data = input.bytes(data_bytes);
    let mut image = if input.below(2) == 0 { vec![table.erased_byte(); size] } else { input.bytes(size) };
    let before = image.clone();
    let mut read = vec![0; data_bytes];
    let _ = table.decode(&image, &mut read);
    if table.encode(generation, &data, &mut image).is_err() {
        assert_eq!(image, before, "a refused write changed its page");
        return;
    }
    for (before, after) in before.iter().zip(&image) {
        let erased = if table.erased_byte() == 0 { before & !after } else { after & !before };
        assert_eq!(erased, 0, "a cell was erased");
    }
    table.decode(&image, &mut read).expect("what was written can be read");
    assert_eq!(read, data);
}

/// Writes any data over any cells and flags.
pub fn flip_n_write(input: &[u8]) {
    let mut input = Input(input);
    let Ok(code) = FlipNWrite::new(8 << input.below(5)) else { return };
    let data_bytes = input.below(100);
    let (cells, flags) = (input.about(data_bytes), input.about(code.flag_bytes(data_bytes)));
    let data = input.bytes(data_bytes);
    let (mut cells, mut flags) = (input.bytes(cells), input.bytes(flags));
    let mut read = vec![0; data_bytes];
    let _ = code.decode(&cells, &flags, &mut read);
    let Ok(changes) = code.encode(&data, &mut cells, &mut flags) else { return };
    let words = data_bytes.div_ceil(code.max_changes_per_word() / 4);
    assert!(changes.total() <= words * code.max_changes_per_word());
    code.decode(&cells, &flags, &mut read).expect("what was written can be read");
    assert_eq!(read, data);
}
