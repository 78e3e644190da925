use rewear_sim::{
    Drive, ReplayOptions,
    options::{ArrivalKind, FitKind, PreconditionKind},
    replay,
};
use rewear_trace::{Defaults, OpenOptions, Source, stand_in};
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    for path in &args {
        let mut trace = rewear_trace::open(path.as_ref(), &OpenOptions { shift_bytes: if path.contains("cloudphysics") || path.contains("diskmon") { 512 } else { 0 }, ..OpenOptions::default() }).unwrap();
        let profile = stand_in::measure(&mut *trace).unwrap();
        let file = format!("/tmp/an/{}.toml", path.rsplit('/').next().unwrap());
        std::fs::write(&file, profile.to_toml()).unwrap();
        let t = std::time::Instant::now();
        let info_r = rewear_trace::info(&mut *trace).unwrap();
        trace.rewind().unwrap();
        let mut made =
            rewear_trace::workload(&format!("stand-in:profile={file}"), &Defaults::default()).unwrap();
        std::fs::write(
            file.replace(".toml", ".again.toml"),
            stand_in::measure(&mut *made).unwrap().to_toml(),
        )
        .unwrap();
        let info_s = rewear_trace::info(&mut *made).unwrap();
        made.rewind().unwrap();
        let took = t.elapsed();
        eprintln!("{} {:?}", std::fs::metadata(&file).unwrap().len(), took);
        if args.len() == 1 {
            println!(
                "{}\n{}",
                serde_json::to_string(&info_r).unwrap(),
                serde_json::to_string(&info_s).unwrap()
            );
        }
        // drive: twice-ish footprint
        let pages = [&info_r, &info_s].map(|i| serde_json::to_value(i).unwrap());
        let f = |v: &serde_json::Value| v["distinct_pages_touched"].as_u64().unwrap();
        let need = f(&pages[0]).max(f(&pages[1]));
        print!("{:50} ", path.rsplit('/').next().unwrap());
        for op in ["0.07", "0.28"] {
            let blocks =
                (need as f64 * (1.0 + op.parse::<f64>().unwrap()) / 64.0 / 8.0 * 1.03).ceil() as u64 + 8;
            let o = |k: &str, v: &str| (k.to_string(), v.to_string());
            let drive = Drive::from_toml(
                include_str!("../../../drives/toshiba-slc.toml"),
                "x",
                &[
                    o("flash.channels", "4"),
                    o("flash.dies_per_channel", "1"),
                    o("flash.planes_per_die", "2"),
                    o("flash.blocks_per_plane", &blocks.to_string()),
                    o("flash.pages_per_block", "64"),
                    o("ftl.over_provisioning", op),
                ],
            )
            .unwrap();
            let mut results = vec![];
            for s in [&mut *trace as &mut dyn Source, &mut *made as &mut dyn Source] {
                let options = ReplayOptions {
                    fit: Some(FitKind::Dense),
                    precondition: PreconditionKind::Fill,
                    loops: 1,
                    arrival: Some(ArrivalKind::Trace),
                    ..Default::default()
                };
                match replay(&drive, s, &options, &mut |_| true) {
                    Ok(r) => {
                        let v = serde_json::to_value(&r).unwrap();
                        results.push((
                            v["erases"].as_f64().or(v["flash"]["erases"].as_f64()).unwrap_or(-1.0),
                            v.clone(),
                        ));
                    }
                    Err(e) => {
                        println!("{e}");
                        results.push((0.0, serde_json::Value::Null))
                    }
                }
            }
            let lat = |v: &serde_json::Value| {
                v["writes"]["mean_ns"].as_f64().or(v["latency"]["write"]["mean_ns"].as_f64()).unwrap_or(-1.0)
            };
            print!(
                " op{op}: erases {} -> {} ({:+.1}%) lat {:.0} -> {:.0}us",
                results[0].0,
                results[1].0,
                (results[1].0 / results[0].0 - 1.0) * 100.0,
                lat(&results[0].1) / 1e3,
                lat(&results[1].1) / 1e3
            );
            if args.len() == 1 && op == "0.07" {
                println!("{}", results[0].1);
            }
        }
        println!(" footprint {} -> {}", f(&pages[0]), f(&pages[1]));
    }
}
