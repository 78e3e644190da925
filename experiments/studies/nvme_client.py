"""An NVMe/TCP host of one request at a time, for measurements of the live drive."""

import os
import socket
import struct
from enum import IntEnum


class Opcode(IntEnum):
    """Of I/O commands (NVM Command Set 1.0, section 3.2)."""

    FLUSH = 0x00
    WRITE = 0x01
    READ = 0x02
    DATASET_MANAGEMENT = 0x09


_FABRICS, _IDENTIFY = 0x7F, 0x06
_IN_CAPSULE, _TRANSPORT = 0x01, 0x5A
_RESPONSE, _CONTROLLER_DATA = 5, 7
_SUCCESS = 8
_MOST_DATA_BYTES = 16 << 10
"""Of a command's capsule."""


class NvmeHost:
    """A controller with one I/O queue."""

    def __init__(self, uri: str) -> None:
        """Connects to the drive of a URI of `LiveDrive`, and enables its controller."""
        address, subsystem, _ = uri.removeprefix("nvme+tcp://").split("/")
        host, _, port = address.rpartition(":")
        self._where, self._subsystem = (host, int(port)), subsystem.encode()
        self.admin = self._opened()
        controller = self._connect(self.admin, 0, 0xFFFF)
        self._run(self.admin, _FABRICS, 0, (0, 0x14, 0x460001))
        self.link = self._opened()
        self._connect(self.link, 1, controller)
        page = self._run(self.admin, _IDENTIFY, 1, (0,), wanted=4096)[1]
        (blocks,) = struct.unpack_from("<Q", page)
        self.block_bytes = 1 << page[130]
        self.size = blocks * self.block_bytes

    def _opened(self) -> socket.socket:
        link = socket.create_connection(self._where)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link.sendall(struct.pack("<BBBBI", 0, 0, 128, 0, 128) + bytes(120))
        _received(link, 128)
        return link

    def _connect(self, link: socket.socket, queue: int, controller: int) -> int:
        data = bytearray(1024)
        data[:16] = bytes([1] * 16)
        struct.pack_into("<H", data, 16, controller)
        data[256 : 256 + len(self._subsystem)] = self._subsystem
        data[512:522] = b"nqn.a:host"
        return self._run(link, _FABRICS, 1, (queue << 16, 31), bytes(data))[0]

    def _run(
        self, link: socket.socket, opcode: int, namespace: int, dwords: tuple[int, ...], data: bytes = b"",
        wanted: int = 0,
    ) -> tuple[int, bytes]:  # fmt: skip
        """Dwords 0 and 1 of the completion, and the data.

        Raises:
            OSError: The status says that the command failed.
            ConnectionError: The server has gone.
        """
        self._send(link, 1, opcode, namespace, dwords, data, wanted)
        received = b""
        while True:
            kind, flags, _, offset, length = struct.unpack("<BBBBI", _received(link, 8))
            body = _received(link, length - 8)
            if kind == _CONTROLLER_DATA:
                received += body[offset - 8 :]
                if flags & _SUCCESS:
                    return 0, received
            elif kind == _RESPONSE:
                result, _, _, status = struct.unpack("<QIHH", body)
                if status:
                    raise OSError(f"status {status >> 1:#x} of opcode {opcode:#x}")
                return result, received
            else:
                raise ConnectionError(f"a unit of type {kind}")

    def _send(
        self, link: socket.socket, identifier: int, opcode: int, namespace: int, dwords: tuple[int, ...],
        data: bytes = b"", wanted: int = 0,
    ) -> None:  # fmt: skip
        kind = _IN_CAPSULE if data else _TRANSPORT
        descriptor = struct.pack("<QI3xB", 0, len(data) or wanted, kind)
        command = struct.pack("<BBHI16x", opcode, 0x40, identifier, namespace) + descriptor
        command += struct.pack("<6I", *dwords, *([0] * (6 - len(dwords))))
        header = struct.pack("<BBBBI", 4, 0, 72, 72 if data else 0, 72 + len(data))
        link.sendall(header + command + data)

    def _blocks(self, offset: int, length: int) -> tuple[int, int, int]:
        first = offset // self.block_bytes
        return first & 0xFFFFFFFF, first >> 32, length // self.block_bytes - 1

    def read(self, offset: int, length: int) -> bytes:
        """Bytes of the namespace."""
        return self._run(self.link, Opcode.READ, 1, self._blocks(offset, length), wanted=length)[1]

    def write(self, offset: int, data: bytes) -> None:
        """Writes whole blocks, at most as many as a capsule holds."""
        if len(data) > _MOST_DATA_BYTES:
            raise ValueError(f"{len(data)} bytes are more than a capsule holds")
        self._run(self.link, Opcode.WRITE, 1, self._blocks(offset, len(data)), data)

    def begin_write(self, identifier: int, offset: int, data: bytes) -> None:
        """Sends a write with a command identifier, and waits for nothing."""
        self._send(self.link, identifier, Opcode.WRITE, 1, self._blocks(offset, len(data)), data)

    def close(self) -> None:
        """Hangs up."""
        self.link.close()
        self.admin.close()

    def flush(self) -> None:
        """Returns when what was answered is durable."""
        self._run(self.link, Opcode.FLUSH, 1, ())

    def trim(self, offset: int, length: int) -> None:
        """Deallocates blocks."""
        entry = struct.pack("<IIQ", 0, length // self.block_bytes, offset // self.block_bytes)
        self._run(self.link, Opcode.DATASET_MANAGEMENT, 1, (0, 4), entry)


def _received(link: socket.socket, count: int) -> bytes:
    got = link.recv(count, socket.MSG_WAITALL)
    if len(got) < count:
        raise ConnectionError(os.strerror(0))
    return got
