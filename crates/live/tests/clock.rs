//! When requests arrive in simulated time.

use rewear_flash::Nanos;
use rewear_live::clock::Clock;

#[test]
fn no_more_requests_are_in_flight_than_the_depth_allows() {
    const REQUEST_NS: Nanos = 1_000_000_000_000;
    let mut clock = Clock::new(4);
    let mut arrivals = Vec::new();
    for _ in 0..20 {
        let at = clock.arrive();
        arrivals.push(at);
        clock.ended(at + REQUEST_NS);
    }
    assert!(arrivals.is_sorted());
    for (index, &at) in arrivals.iter().enumerate() {
        let in_flight = arrivals[..index].iter().filter(|&&earlier| earlier + REQUEST_NS > at).count();
        assert!(in_flight < 4, "{in_flight} before request {index}");
    }
}
