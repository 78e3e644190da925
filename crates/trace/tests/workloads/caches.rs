//! Workloads of caches on flash: of small and large objects, and of a model's keys and values; zones.

use super::*;

#[test]
fn a_flash_cache_rewrites_buckets_anywhere_and_regions_in_turn() {
    // A tenth of 10,000 pages are buckets; 90 regions of 100 pages lie behind them.
    let spec =
        "flash-cache:pages=10000,requests=300000,small=0.1,small_writes=0.4,region=400KiB,stream=component";
    let requests = draw(spec);
    let (mut small_bytes, mut bytes, mut next) = (0, 0, 0);
    let mut buckets = vec![0u32; 1000];
    for (request, page) in requests.iter().zip(pages(&requests)) {
        bytes += request.length_bytes;
        if request.stream == 0 {
            small_bytes += request.length_bytes;
            assert_eq!(request.length_bytes, 4096);
            buckets[page as usize] += 1;
        } else {
            assert_eq!((page, request.length_bytes), (1000 + next * 100, 400 << 10));
            next = (next + 1) % 90;
        }
    }
    close(small_bytes as f64 / bytes as f64, 0.4, 0.02);
    // About 295 writes a bucket: five standard deviations are 86.
    assert!(buckets.iter().all(|&writes| (200..400).contains(&writes)), "{buckets:?}");
    let reads = draw("flash-cache:pages=10000,requests=1000,read=1,small=0.1,region=400KiB");
    assert!(reads.iter().all(|read| read.length_bytes == 4096));
    for wrong in ["small=0", "region=41MiB", "region=5000", "size=8KiB", "small=1"] {
        assert!(
            workload(&format!("flash-cache:pages=10000,{wrong}"), &Defaults::default()).is_err(),
            "{wrong}"
        );
    }
    assert!(workload("flash-cache:pages=10000,small=1,small_writes=1", &Defaults::default()).is_ok());
}

#[test]
fn a_key_value_cache_of_single_blocks_is_a_ring() {
    // Every turn is a new conversation of one block, and there is room for 64.
    let spec = "kv-cache:pages=256,block=16KiB,used=1,first=1,turn=1,turns=1,requests=200";
    let requests = draw(spec);
    for (index, (request, page)) in requests.iter().zip(pages(&requests)).enumerate() {
        let (operation, block) = match index {
            0..64 => (Operation::Write, index),
            _ if index % 2 == 0 => (Operation::Trim, (index - 64) / 2 % 64),
            _ => (Operation::Write, (index - 64) / 2 % 64),
        };
        assert_eq!((request.operation, page, request.length_bytes), (operation, 4 * block as u64, 16 << 10));
    }
    let overwriting = draw(&format!("{spec},trim=false"));
    assert!(overwriting.iter().all(|request| request.operation == Operation::Write));
}

#[test]
fn a_key_value_cache_reads_what_it_holds_and_writes_contents_again_that_expired() {
    let spec = "kv-cache:pages=40000,block=16KiB,requests=200000,content=hash,stream=component";
    let mut source = workload(spec, &Defaults::default()).unwrap();
    let (mut held, mut seen, mut batch) = (vec![None; 10_000], BTreeSet::new(), Batch::default());
    let (mut reads, mut writes, mut again) = (0, 0, 0);
    while source.fill(&mut batch).unwrap() > 0 {
        for request in &batch.requests {
            let place = &mut held[(request.offset_bytes >> 14) as usize];
            match request.operation {
                Operation::Read => {
                    assert!(place.is_some());
                    reads += 1;
                }
                Operation::Write => {
                    let content = batch.content_of(request).unwrap();
                    assert_eq!((content.len(), *place), (4, None));
                    writes += 1;
                    again += u32::from(!seen.insert(content[0]));
                    *place = Some(content[0]);
                }
                _ => assert!(place.take().is_some()),
            }
        }
        // Each block lies there once, in nine tenths of the places.
        let contents: Vec<_> = held.iter().flatten().collect();
        assert!(contents.len() <= 9000);
        assert_eq!(contents.iter().collect::<BTreeSet<_>>().len(), contents.len());
    }
    assert!(again > writes / 100, "{again} of {writes}");
    // Of a cache in which nothing expires 0.4 of the blocks of prompts are found.
    let all = draw("kv-cache:pages=4000000,block=16KiB,requests=200000");
    let found = all.iter().filter(|request| request.operation == Operation::Read).count();
    close(found as f64 / 200_000.0, 0.4, 0.05);
    assert!(reads > 0 && all.iter().all(|request| request.operation != Operation::Trim));
    for wrong in ["block=5000", "block=1GiB", "read=0.5", "turns=0.5", "content=locality", "first=0"] {
        assert!(workload(&format!("kv-cache:{wrong}"), &Defaults::default()).is_err(), "{wrong}");
    }
}

#[test]
fn zones_are_trimmed_whole_and_written_from_their_beginning() {
    // 10 zones of 100 pages in 1,050, three at a time; requests of 3 pages do not divide a zone.
    let spec = "zones:pages=1050,requests=40000,zone=400KiB,active=3,size=12KiB,stream=component";
    let mut written: Vec<Option<u64>> = vec![None; 10];
    let mut of_component: [Option<u64>; 3] = [None; 3];
    let mut writes = [0u32; 3];
    for request in draw(spec) {
        let (page, pages) = (request.offset_bytes / 4096, request.length_bytes / 4096);
        let (zone, component) = (page / 100, usize::from(request.stream));
        assert!(page + pages <= 1000 && (page + pages - 1) / 100 == zone);
        match request.operation {
            Operation::Trim => {
                assert_eq!((page % 100, pages), (0, 100));
                assert!(of_component.iter().flatten().all(|&open| open != zone), "one zone is active twice");
                let before = of_component[component].replace(zone);
                assert!(before.is_none_or(|before| written[before as usize] == Some(100)));
                written[zone as usize] = Some(0);
            }
            Operation::Write => {
                assert_eq!((of_component[component], written[zone as usize]), (Some(zone), Some(page % 100)));
                written[zone as usize] = Some(page % 100 + pages);
                writes[component] += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(written.iter().all(Option::is_some));
    // A third each: five standard deviations are 470.
    writes.iter().for_each(|&count| close(f64::from(count), 38_850.0 / 3.0, 600.0));
    let over = draw("zones:pages=1000,requests=1000,zone=400KiB,trim=false");
    assert!(over.iter().all(|request| request.operation == Operation::Write));
    for wrong in
        ["zone=400KiB,active=10", "zone=400KiB,active=0", "zone=5000", "zone=400KiB,read=0.5", "zone=4MiB"]
    {
        assert!(workload(&format!("zones:pages=1000,{wrong}"), &Defaults::default()).is_err(), "{wrong}");
    }
}
