//! Drives in image files: they come back after the server is gone, however it went.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{SCHEMES, config, fill};
use rewear_live::{LiveDrive, LiveError, LiveOptions};

#[test]
fn a_drive_comes_back_from_its_image_without_having_been_closed() {
    let folder = tempfile::tempdir().unwrap();
    for (number, &scheme) in SCHEMES.iter().enumerate() {
        let image = Some(folder.path().join(format!("image{number}")));
        let open = || LiveDrive::open(LiveOptions { image: image.clone(), ..crate::common::options(scheme) });
        let mut live = open().unwrap();
        assert!(live.mounted().is_none());
        let mut memory = vec![0; live.size_bytes() as usize];
        for round in 0..3 {
            for (index, part) in memory.chunks_mut(4096).enumerate() {
                fill(round * 1000 + index as u64, part);
                live.write(index as u64 * 4096, part, false).unwrap();
            }
            live.trim(round * 8192, 4096, false).unwrap();
            live.flush().unwrap();
            let page = live.page_bytes() as usize;
            let begin = (round as usize * 8192).div_ceil(page) * page;
            let end = (round as usize * 8192 + 4096) / page * page;
            memory[begin..end.max(begin)].fill(0);
            let erases = live.with_served(|ftl, _| ftl.array().wear().erases().to_vec()).unwrap();
            // As a crash: nothing is closed.
            drop(live);
            let again = open().unwrap();
            assert!(again.mounted().is_some());
            let mut read = vec![0; memory.len()];
            again.read(0, &mut read).unwrap();
            assert!(read == memory, "{} after round {round}", scheme.0);
            let after = again.with_served(|ftl, _| ftl.array().wear().erases().to_vec()).unwrap();
            assert!(
                after.iter().sum::<u32>() >= erases.iter().sum::<u32>() / 2,
                "{}: wear is forgotten",
                scheme.0
            );
            live = again;
        }
    }
}

/// A drive larger than what is left of most disks: only what was written takes room, or time.
#[test]
#[cfg(target_os = "linux")]
fn a_sparse_image_takes_room_and_time_as_it_is_written() {
    use std::os::unix::fs::MetadataExt;
    const PAGES_WRITTEN: u64 = 500;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("image");
    let more =
        [("flash.page_bytes", "65536"), ("flash.blocks_per_plane", "4096"), ("flash.pages_per_block", "16")];
    let options = LiveOptions {
        image: Some(path.clone()),
        lazy_memory: true,
        ..LiveOptions::new(config(SCHEMES[0], &more))
    };
    let live = LiveDrive::open(options.clone()).unwrap();
    let page = u64::from(live.page_bytes());
    let place = |index: u64| index * 37 * page;
    let content = |index: u64| vec![(index % 255) as u8 + 1; page as usize];
    assert!(live.size_bytes() > 8 << 30 && live.page_bytes() == 65536);
    (0..PAGES_WRITTEN).for_each(|index| live.write(place(index), &content(index), false).unwrap());
    // As a crash: nothing is closed.
    drop(live);
    let live = LiveDrive::open(options).unwrap();
    let mounted = live.mounted().unwrap();
    assert!(mounted.records_read < 2 * PAGES_WRITTEN, "{mounted:?}");
    let mut read = vec![0; page as usize];
    for index in 0..PAGES_WRITTEN {
        live.read(place(index), &mut read).unwrap();
        assert!(read == content(index), "{index}");
    }
    let file = std::fs::metadata(&path).unwrap();
    assert!(file.size() > 16 << 30 && file.blocks() * 512 < 4 * PAGES_WRITTEN * page, "{}", file.blocks());
}

#[test]
fn the_image_of_another_drive_is_refused_with_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    let image = Some(folder.path().join("image"));
    let open = |more: &[(&str, &str)]| {
        LiveDrive::open(LiveOptions { image: image.clone(), ..LiveOptions::new(config(SCHEMES[0], more)) })
    };
    drop(open(&[]).unwrap());
    let refused = |more: &[(&str, &str)]| match open(more) {
        Err(error @ LiveError::Options(_)) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let text = refused(&[("flash.blocks_per_plane", "20"), ("ftl.victim.scheme", "cost-benefit")]);
    assert!(text.contains("flash.blocks_per_plane is 16 in the image and 20 here"), "{text}");
    assert!(text.contains("ftl.victim.scheme"), "{text}");
    // Times do not change what lies in the cells.
    assert!(open(&[("flash.timing.erase_ns", "7")]).is_ok());
}
