// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import Glibc
import Testing

@Suite("Memory shared between processes", .timeLimit(.minutes(10)))
struct SharedMemoryTests {
    /// Maps the memory through a separate descriptor, as a front-end does.
    private static func other(_ memory: SharedMemory, isWritable: Bool) throws -> SharedMemory {
        try SharedMemory(mapping: fcntl(memory.descriptor, F_DUPFD_CLOEXEC, 0), isWritable: isWritable)
    }

    @Test("numbers and bytes written through one mapping can be read through the other")
    func shared() throws {
        let mine = try SharedMemory(name: "test", byteCount: 8192, writer: .maker)
        let theirs = try Self.other(mine, isWritable: false)
        #expect(theirs.byteCount == 8192)
        mine.storeReleasing(0x0102_0304_0506_0708 as UInt64, at: 4096)
        mine.storeReleasing(7 as UInt32, at: 4)
        mine.store(9, at: 2)
        mine.copy([1, 2, 3], to: 8189)
        #expect(theirs.loadAcquiring(at: 4096) == 0x0102_0304_0506_0708)
        #expect(theirs.bytes(at: 4096, count: 2) == [8, 7])
        #expect(theirs.loadAcquiring(UInt32.self, at: 4) == 7 && theirs.load(UInt16.self, at: 2) == 9)
        #expect(theirs.bytes(at: 8189, count: 3) == [1, 2, 3])
    }

    @Test("only the maker can write to memory reserved for the maker, and nobody can through the file")
    func sealed() throws {
        let mine = try SharedMemory(name: "test", byteCount: 4096, writer: .maker)
        #expect(throws: SystemError.self) { try Self.other(mine, isWritable: true) }
        #expect(unsafe pwrite(mine.descriptor, [UInt8](repeating: 1, count: 8), 8, 0) == -1)
        #expect(mine.loadAcquiring(at: 0) == 0)
        #expect(ftruncate(mine.descriptor, 0) == -1 && ftruncate(mine.descriptor, 8192) == -1)
    }

    @Test("memory for everybody is writable by all, and nobody can shorten it")
    func page() throws {
        let mine = try SharedMemory(name: "test", byteCount: 4096, writer: .everybody)
        let theirs = try Self.other(mine, isWritable: true)
        theirs.storeReleasing(5 as UInt64, at: 64)
        #expect(mine.loadAcquiring(at: 64) == 5)
        #expect(ftruncate(mine.descriptor, 0) == -1)
    }

    @Test("a file that could still be shortened is not mapped")
    func unsealed() throws {
        var name = Array("/tmp/engine-shared-XXXXXX".utf8CString)
        let file = unsafe mkstemp(&name)
        _ = unsafe unlink(name)
        _ = ftruncate(file, 4096)
        #expect(throws: SystemError.self) { try SharedMemory(mapping: file, isWritable: false) }
    }
}
