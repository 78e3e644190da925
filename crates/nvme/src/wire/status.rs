//! Status codes of completions (Base 3.3.3.2.1, NVM 3.1.2).

/// Status code type and status code, with the bit that says not to retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status(u16);

const DO_NOT_RETRY: u16 = 1 << 14;

#[allow(missing_docs)] // The names are those of the specification.
impl Status {
    pub const SUCCESS: Status = Status(0);
    pub const INVALID_OPCODE: Status = Status::refused(0, 0x01);
    pub const INVALID_FIELD: Status = Status::refused(0, 0x02);
    pub const ID_CONFLICT: Status = Status::refused(0, 0x03);
    /// The transport failed, for instance a data digest; the host may retry.
    pub const TRANSIENT_TRANSPORT_ERROR: Status = Status(0x22);
    pub const INTERNAL_ERROR: Status = Status(0x06);
    pub const ABORTED: Status = Status(0x07);
    pub const INVALID_NAMESPACE: Status = Status::refused(0, 0x0b);
    pub const SEQUENCE_ERROR: Status = Status::refused(0, 0x0c);
    pub const SGL_LENGTH_INVALID: Status = Status::refused(0, 0x0f);
    pub const SGL_TYPE_INVALID: Status = Status::refused(0, 0x11);
    pub const SGL_OFFSET_INVALID: Status = Status::refused(0, 0x16);
    pub const WRITE_PROTECTED: Status = Status::refused(0, 0x20);
    pub const FDP_DISABLED: Status = Status::refused(0, 0x29);
    pub const LBA_OUT_OF_RANGE: Status = Status::refused(0, 0x80);
    pub const CAPACITY_EXCEEDED: Status = Status::refused(0, 0x81);
    pub const NAMESPACE_NOT_READY: Status = Status(0x82);
    pub const AER_LIMIT_EXCEEDED: Status = Status::refused(1, 0x05);
    pub const INVALID_LOG_PAGE: Status = Status::refused(1, 0x09);
    pub const FEATURE_NOT_SAVEABLE: Status = Status::refused(1, 0x0d);
    pub const FEATURE_NOT_CHANGEABLE: Status = Status::refused(1, 0x0e);
    pub const CONTROLLER_BUSY: Status = Status(1 << 8 | 0x81);
    pub const CONNECT_INVALID_PARAMETERS: Status = Status::refused(1, 0x82);
    pub const CONNECT_INCOMPATIBLE_FORMAT: Status = Status::refused(1, 0x80);
    pub const WRITE_FAULT: Status = Status::refused(2, 0x80);
    pub const UNRECOVERED_READ: Status = Status::refused(2, 0x81);
    pub const COMPARE_FAILURE: Status = Status::refused(2, 0x85);

    const fn refused(kind: u16, code: u16) -> Status {
        Status(DO_NOT_RETRY | kind << 8 | code)
    }

    /// The field as it stands in a completion, phase bit included.
    pub fn field(self) -> u16 {
        self.0 << 1
    }

    /// Status code type (bits 10:8) and status code (bits 7:0).
    pub fn code(self) -> u16 {
        self.0 & 0x7ff
    }
}
