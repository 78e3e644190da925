//! Files that hold a trace perhaps, but in a wrapping that is not taken off here. They are named
//! with the command that takes it off.

/// A kind of file by what it begins with.
pub(crate) struct Foreign {
    /// The kind of wrapping, as a sentence goes on after the file's name.
    pub(crate) problem: &'static str,
    /// The command or step that helps the user.
    pub(crate) remedy: &'static str,
    begins: fn(&[u8]) -> bool,
}

const TWICE: &str = "decompress it once by hand; one layer of gzip, xz, zstd or bzip2 is taken off here";
const UTF_16_REMEDY: &str = "write it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE > NEW";

/// The layers that are recognised.
static FOREIGN: [Foreign; 18] = [
    Foreign {
        problem: "is compressed by lz4",
        remedy: "decompress it: lz4 -d FILE (zstd FILE keeps it as small)",
        // The frame format and the legacy one.
        begins: |head| matches!(head, [0x04, 0x22, 0x4d, 0x18, ..] | [0x02, 0x21, 0x4c, 0x18, ..]),
    },
    Foreign {
        problem: "is a zip archive",
        remedy: "take the trace out of it: unzip -p FILE > NEW",
        begins: |head| {
            matches!(head, [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] | [b'P', b'K', 7, 8, ..])
        },
    },
    Foreign {
        problem: "is a 7z archive",
        remedy: "take the trace out of it: 7z x FILE",
        begins: |head| head.starts_with(&[b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c]),
    },
    Foreign {
        problem: "is a rar archive",
        remedy: "take the trace out of it: unrar x FILE",
        begins: |head| head.starts_with(b"Rar!\x1a\x07"),
    },
    Foreign { problem: "is a tar archive", remedy: "take the trace out of it: tar -xf FILE", begins: is_tar },
    Foreign {
        problem: "is compressed by compress (LZW)",
        remedy: "decompress it: gzip -dc FILE > NEW",
        begins: |head| matches!(head, [0x1f, 0x9d, ..]),
    },
    Foreign {
        problem: "is compressed by lzip",
        remedy: "decompress it: lzip -d FILE",
        begins: |head| head.starts_with(b"LZIP"),
    },
    Foreign {
        problem: "is compressed by snappy",
        remedy: "decompress it: snzip -d FILE",
        begins: |head| head.starts_with(b"\xff\x06\x00\x00sNaPpY"),
    },
    Foreign {
        problem: "is a Parquet file",
        remedy: "write its columns as csv: time_ns,operation,offset_bytes,length_bytes",
        begins: |head| head.starts_with(b"PAR1"),
    },
    Foreign {
        problem: "is compressed twice, inside by gzip",
        remedy: TWICE,
        begins: |head| matches!(head, [0x1f, 0x8b, 8, ..]),
    },
    Foreign {
        problem: "is compressed twice, inside by xz",
        remedy: TWICE,
        begins: |head| head.starts_with(b"\xfd7zXZ\0"),
    },
    Foreign {
        problem: "is compressed twice, inside by zstd",
        remedy: TWICE,
        begins: |head| head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]),
    },
    Foreign {
        problem: "is compressed twice, inside by bzip2",
        remedy: TWICE,
        begins: |head| matches!(head, [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, ..]),
    },
    Foreign {
        problem: "is a SMART log of a disk, not a trace",
        remedy: "ask for the life of the disk: rewear life FILE",
        begins: is_smart_log,
    },
    Foreign {
        problem: "is a log of Process Monitor: its offsets are in files, and where they lie on the disk it does not say",
        remedy: "record the disk: DiskMon, or xperf -on DISK_IO_INIT+DISK_IO and xperf -a dumper",
        begins: |head| has_line(head, |line| contains(line, b"Process Name,PID,Operation,Path")),
    },
    Foreign {
        problem: "is a trace of Darshan: its offsets are in files, and where they lie on the disk it does not say",
        remedy: "record the disk: blktrace, or rewear record",
        begins: |head| has_line(head, |line| line.starts_with(b"# DXT,") || line.starts_with(b"# darshan")),
    },
    Foreign {
        problem: "is output of strace: its offsets are in files, and most of its calls never reach the disk",
        remedy: "record the disk: rewear record -- COMMAND, or blktrace",
        begins: is_strace,
    },
    Foreign { problem: "is text in UTF-16", remedy: UTF_16_REMEDY, begins: is_utf_16 },
];

/// The wrapping of (decompressed) content that begins with `head`, if any.
pub(crate) fn kind(head: &[u8]) -> Option<&'static Foreign> {
    FOREIGN.iter().find(|foreign| (foreign.begins)(head))
}

/// Lines of a head that are looked at.
const LINES: usize = 20;

fn has_line(head: &[u8], is: impl FnMut(&[u8]) -> bool) -> bool {
    head.split(|&byte| byte == b'\n').take(LINES).any(is)
}

fn contains(line: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(line, part).is_some()
}

/// Text of smartctl and nvme-cli, and JSON of both.
fn is_smart_log(head: &[u8]) -> bool {
    const OF_JSON: [&[u8]; 4] =
        [b"\"smartctl\"", b"\"percent_used\"", b"\"nvme_smart_health", b"\"ata_smart_attributes"];
    let is_json = head.trim_ascii_start().starts_with(b"{") && OF_JSON.iter().any(|key| contains(head, key));
    is_json
        || has_line(head, |line| {
            line.starts_with(b"smartctl ")
                || contains(line, b"Smart Log for NVME device")
                || contains(line, b"START OF SMART DATA")
        })
}

/// Lines such as `812 8:31:40.001957 pwrite64(7, "..", 4096, 8192) = 4096`.
fn is_strace(head: &[u8]) -> bool {
    const CALLS: [&[u8]; 8] =
        [b"pwrite64(", b"pread64(", b"write(", b"read(", b"openat(", b"fsync(", b"lseek(", b"execve("];
    has_line(head, |line| contains(line, b") = ") && CALLS.iter().any(|call| contains(line, call)))
}

/// The magic of POSIX and GNU archives, and the checksum of the older ones that have none.
fn is_tar(head: &[u8]) -> bool {
    let Some(header) = head.first_chunk::<512>() else { return false };
    if header[257..].starts_with(b"ustar") {
        return true;
    }
    // The sum of all bytes of the header, its own eight counted as blanks, in octal digits.
    let own = header[148..156].trim_ascii_end();
    let own = own.strip_suffix(b"\0").unwrap_or(own).trim_ascii();
    let digits = !own.is_empty() && own.iter().all(|byte| (b'0'..=b'7').contains(byte));
    let stated = own.iter().fold(0u32, |sum, byte| sum * 8 + u32::from(byte & 7));
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    let field: u32 = header[148..156].iter().map(|&byte| u32::from(byte)).sum();
    digits && stated == sum - field + 8 * u32::from(b' ')
}

/// A byte order mark, or ASCII characters of two bytes each.
fn is_utf_16(head: &[u8]) -> bool {
    const LOOKED_AT: usize = 64;
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        return true;
    }
    let pairs = head.chunks_exact(2).take(LOOKED_AT);
    let printable = |byte: u8| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    head.len() >= 16
        && (pairs.clone().all(|pair| printable(pair[0]) && pair[1] == 0)
            || pairs.clone().all(|pair| pair[0] == 0 && printable(pair[1])))
}
