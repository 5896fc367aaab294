# SPDX-License-Identifier: BSD-3-Clause
"""The device is a process with memory, and has a connection to the process that uses the device.

Started as `python remote_memory_server.py FD`. A request is a header (command, device, handle, offset, length); for
WRITE, `length` bytes follow. A reply is a status and a number; for READ, that number of bytes follows. FREE has no
reply. When the connection is closed, the process ends and its memory is lost.
"""

import socket
import struct
import sys
import time

REQUEST = struct.Struct("<iiQQQ")
ANSWER = struct.Struct("<iQ")
ALLOCATE, FREE, READ, WRITE, CLOCK = range(5)
OK, NO_MEMORY, NO_BLOCK = range(3)
BYTES_PER_DEVICE = 1 << 32


class Memory:
    def __init__(self):
        self.blocks = {}  # handle: (device, bytes)
        self.free = {0: BYTES_PER_DEVICE, 1: BYTES_PER_DEVICE}
        self.last = 0

    def allocate(self, device, length):
        if length > self.free.get(device, 0):
            return NO_MEMORY, 0
        self.free[device] -= length
        self.last += 1
        self.blocks[self.last] = device, bytearray(length)
        return OK, self.last

    def release(self, handle):
        device, block = self.blocks.pop(handle, (0, b""))
        self.free[device] += len(block)


def received(connection, count):
    """Reads exactly this many bytes. Ends the process if the connection is closed."""
    data = bytearray(count)
    view = memoryview(data)
    while view:
        got = connection.recv_into(view)
        if not got:
            sys.exit(0)
        view = view[got:]
    return data


def serve(connection):
    memory = Memory()
    while True:
        command, device, handle, offset, length = REQUEST.unpack(received(connection, REQUEST.size))
        _, block = memory.blocks.get(handle, (0, None))
        if command == ALLOCATE:
            connection.sendall(ANSWER.pack(*memory.allocate(device, length)))
        elif command == FREE:
            memory.release(handle)
        elif command == CLOCK:
            connection.sendall(ANSWER.pack(OK, time.monotonic_ns()))
        elif command == WRITE:
            data = received(connection, length)
            inside = block is not None and offset + length <= len(block)
            if inside:
                block[offset:offset + length] = data
            connection.sendall(ANSWER.pack(OK if inside else NO_BLOCK, 0))
        elif command == READ:
            if block is None or offset + length > len(block):
                connection.sendall(ANSWER.pack(NO_BLOCK, 0))
            else:
                connection.sendall(ANSWER.pack(OK, length) + block[offset:offset + length])


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
