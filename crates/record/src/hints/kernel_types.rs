//! Where the fields of a request lie: structures change from kernel to kernel, and each describes
//! its own in `/sys/kernel/btf/vmlinux`. Linux, Documentation/bpf/btf.rst.

use std::io;

const KERNEL: &str = "/sys/kernel/btf/vmlinux";
const MAGIC: u16 = 0xeb9f;
const STRUCT: u32 = 4;

/// Offsets in bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Offsets {
    pub request_bio: u32,
    pub request_flags: u32,
    pub request_sector: u32,
    pub request_bytes: u32,
    pub bio_device: u32,
    pub bio_hint: u32,
    /// From Linux 6.16 on.
    pub bio_stream: Option<u32>,
    pub device_number: u32,
}

impl Offsets {
    pub(super) fn of_this_kernel() -> io::Result<Offsets> {
        let bytes = std::fs::read(KERNEL)
            .map_err(|error| io::Error::new(error.kind(), format!("{KERNEL} cannot be read: {error}")))?;
        Self::of(&bytes)
    }

    fn of(bytes: &[u8]) -> io::Result<Offsets> {
        let types = Types::new(bytes).ok_or_else(|| unknown("its description of types is damaged"))?;
        let need = |structure: &str, field: &str| {
            types
                .offset(structure, field)
                .ok_or_else(|| unknown(&format!("its structure {structure} has no {field}")))
        };
        Ok(Offsets {
            request_bio: need("request", "bio")?,
            request_flags: need("request", "cmd_flags")?,
            request_sector: need("request", "__sector")?,
            request_bytes: need("request", "__data_len")?,
            bio_device: need("bio", "bi_bdev")?,
            bio_hint: need("bio", "bi_write_hint")?,
            bio_stream: types.offset("bio", "bi_write_stream"),
            device_number: need("block_device", "bd_dev")?,
        })
    }
}

fn unknown(problem: &str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, format!("this kernel tells no write hints: {problem}"))
}

/// The two sections of the description.
struct Types<'b> {
    types: &'b [u8],
    names: &'b [u8],
}

impl<'b> Types<'b> {
    fn new(bytes: &'b [u8]) -> Option<Self> {
        let header: [u32; 5] = [4, 8, 12, 16, 20].map(|at| word(bytes, at).unwrap_or(u32::MAX));
        let magic = u16::from_le_bytes(*bytes.first_chunk()?);
        let [header_bytes, types_at, types_bytes, names_at, names_bytes] = header.map(|word| word as usize);
        let section = |at: usize, length: usize| {
            let start = header_bytes.checked_add(at)?;
            bytes.get(start..start.checked_add(length)?)
        };
        (magic == MAGIC).then_some(())?;
        Some(Self { types: section(types_at, types_bytes)?, names: section(names_at, names_bytes)? })
    }

    /// Offset in bytes of a field of the first structure of a name.
    fn offset(&self, structure: &str, field: &str) -> Option<u32> {
        let mut at = 0;
        while at < self.types.len() {
            let (name, info) = (word(self.types, at)?, word(self.types, at + 4)?);
            let (members, kind, in_bits) = (info as usize & 0xffff, info >> 24 & 0x1f, info >> 31 == 1);
            let behind = at + 12;
            if kind == STRUCT && self.is(name, structure) {
                return (0..members).find_map(|index| {
                    let member = behind + 12 * index;
                    let (name, offset) = (word(self.types, member)?, word(self.types, member + 8)?);
                    let bits = if in_bits { offset & 0xff_ffff } else { offset };
                    self.is(name, field).then_some(bits / 8)
                });
            }
            at = behind + trailing_bytes(kind, members)?;
        }
        None
    }

    fn is(&self, name: u32, wanted: &str) -> bool {
        let rest = self.names.get(name as usize..).unwrap_or_default();
        rest.strip_prefix(wanted.as_bytes()).is_some_and(|rest| rest.first() == Some(&0))
    }
}

/// The data behind the three words of a type.
fn trailing_bytes(kind: u32, members: usize) -> Option<usize> {
    Some(match kind {
        1 | 14 | 17 => 4,
        2 | 7..=12 | 16 | 18 => 0,
        3 => 12,
        STRUCT | 5 | 15 | 19 => 12 * members,
        6 | 13 => 8 * members,
        _ => return None,
    })
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|chunk| u32::from_le_bytes(*chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A description of structures, each of fields at byte offsets, behind an integer and an enum.
    fn described(structures: &[(&str, &[(&str, u32)])]) -> Vec<u8> {
        let mut names = vec![0];
        let mut name = |text: &str| {
            let at = names.len() as u32;
            names.extend_from_slice(text.as_bytes());
            names.push(0);
            at
        };
        let mut words = vec![name("int"), 1 << 24, 4, 32, name("colour"), 6 << 24 | 1, 4, name("red"), 0];
        for (structure, fields) in structures {
            words.extend([name(structure), STRUCT << 24 | fields.len() as u32, 64]);
            for (field, offset) in *fields {
                words.extend([name(field), 1, offset * 8]);
            }
        }
        let types: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut bytes = vec![0x9f, 0xeb, 1, 0];
        for word in [24, 0, types.len() as u32, types.len() as u32, names.len() as u32] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        [bytes, types, names].concat()
    }

    const REQUEST: &[(&str, u32)] = &[("cmd_flags", 4), ("__data_len", 8), ("__sector", 16), ("bio", 24)];

    #[test]
    fn fields_are_found_by_name() {
        let bio = &[("bi_bdev", 8), ("bi_write_hint", 20)];
        let all = &[
            ("request_queue", REQUEST),
            ("request", REQUEST),
            ("bio", bio),
            ("block_device", &[("bd_dev", 40)]),
        ];
        let found = Offsets::of(&described(all)).unwrap();
        let expected = Offsets {
            request_bio: 24,
            request_flags: 4,
            request_sector: 16,
            request_bytes: 8,
            bio_device: 8,
            bio_hint: 20,
            bio_stream: None,
            device_number: 40,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_kernel_without_hints_is_named() {
        let bytes = described(&[("request", REQUEST), ("bio", &[("bi_bdev", 8)])]);
        let error = Offsets::of(&bytes).unwrap_err();
        assert!(error.to_string().contains("its structure bio has no bi_write_hint"), "{error}");
    }

    #[test]
    fn damage_is_an_error() {
        let whole = described(&[("request", REQUEST)]);
        for length in 0..whole.len() {
            assert!(Offsets::of(&whole[..length]).is_err());
        }
    }
}
