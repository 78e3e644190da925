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
