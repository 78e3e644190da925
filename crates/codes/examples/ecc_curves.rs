//! Error rates that the codes correct, one JSON object a line: `cargo run --release --example
//! ecc_curves -- ldpc|bch DATA_BYTES PARITY_BYTES|T FRAMES SEED RBER...` measures the frame error
//! rate against the raw bit error rate, and `... -- limits` prints the raw bit error rate at which
//! usual BCH codes reach UBER 1e-15.

use rewear_codes::bch::Bch;
use rewear_codes::ecc_limits::{BchLimit, USUAL_UBER, largest_t};
use rewear_codes::ecc_measure::{LdpcDecoder, Trials, measure_bch, measure_ldpc};
use rewear_codes::ldpc::{Ldpc, MinSum};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "limits") {
        return limits();
    }
    let [family, data_bytes, second, frames, seed, rbers @ ..] = arguments.as_slice() else {
        return Err("usage: ecc_curves ldpc|bch DATA_BYTES PARITY_BYTES|T FRAMES SEED RBER...".into());
    };
    let (data_bytes, second): (usize, usize) = (data_bytes.parse()?, second.parse()?);
    let trials = Trials { frames: frames.parse()?, seed: seed.parse()? };
    for rber in rbers {
        let rber: f64 = rber.parse()?;
        if family == "bch" {
            let code = Bch::new(data_bytes, second)?;
            println!("{}", serde_json::to_string(&measure_bch(&code, rber, trials)?)?);
            continue;
        }
        let code = Ldpc::new(data_bytes, second)?;
        let rules = MinSum::default();
        let soft = (1..=3).map(|extra_pairs| LdpcDecoder::Soft { extra_pairs, rules });
        for decoder in std::iter::once(LdpcDecoder::Hard(rules)).chain(soft) {
            println!("{}", serde_json::to_string(&measure_ldpc(&code, &decoder, rber, trials)?)?);
        }
    }
    Ok(())
}

fn limits() -> Result<(), Box<dyn Error>> {
    for data_bytes in [512, 1024, 2048, 4096] {
        for parity_fraction in [0.025, 0.04, 0.065, 0.09] {
            let code = Bch::new(data_bytes, largest_t(data_bytes, parity_fraction)?)?;
            println!("{}", serde_json::to_string(&BchLimit::of(&code, USUAL_UBER)?)?);
        }
    }
    Ok(())
}
