//! Lines `R|W;time_us;sector;sectors`: the worked example of CONTRIBUTING.md, compiled with the
//! tests of this crate.

use crate::error::Fault;
use crate::options::{OpenOptions, TimeUnit};
use crate::readers::clock::Clock;
use crate::readers::fields::{Fields, sectors, time};
use crate::readers::sink::Record;
use crate::readers::stream::Parser;
use crate::readers::words::read_or_write;

/// See the module.
pub(crate) struct Semicolons {
    clock: Clock,
}

impl Parser for Semicolons {
    const EXAMPLES: &'static [&'static [u8]] = &[b"R;26214;8;8\nW;26314;16;1\n"];

    fn start(_head: &[u8], options: &OpenOptions) -> Self {
        Self { clock: Clock::stated(options, TimeUnit::Microseconds) }
    }

    fn parse<'l>(&mut self, line: &'l [u8]) -> Result<Option<Record<'l>>, Fault> {
        let mut fields = Fields::new(line);
        let mut next = || fields.until(b';').map(<[u8]>::trim_ascii);
        let operation = read_or_write(next())?;
        let at_ns = time(next(), self.clock.unit_ns())?;
        let offset_bytes = sectors(next(), "sector")?;
        let length_bytes = sectors(next(), "number of sectors")?;
        Ok(Some(Record::new(at_ns, operation, offset_bytes, length_bytes)))
    }

    fn time_unit(&self) -> String {
        self.clock.to_string()
    }
}

/// As the test of all formats demands of one that is registered.
#[test]
fn it_takes_its_example_and_no_other_format_does() {
    use crate::readers::FORMATS;
    use crate::readers::sniff::parses;

    let others = || FORMATS.iter().filter(|format| format.name != "semicolons");
    for example in Semicolons::EXAMPLES {
        assert!(parses::<Semicolons>(example));
        assert!(others().all(|format| !format.takes(example)));
    }
    assert!(others().flat_map(|format| format.examples).all(|example| !parses::<Semicolons>(example)));
}
