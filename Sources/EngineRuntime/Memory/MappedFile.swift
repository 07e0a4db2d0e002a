// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// A small file of fixed size that is mapped into memory. A store is as cheap as a store to memory and survives when
/// the process is killed; a power loss may lose it.
///
/// The blocks of the file are allocated before it is mapped, so that a full disk is an error here and not a signal
/// later. An offset outside the file is a bug of the caller and traps.
///
/// Thread-safety: safe for single words.
@safe package final class MappedFile: Sendable {
    package let byteCount: Int
    // SAFETY: the mapping lives as long as this object. No other engine shortens the file, because this process holds
    // the lock of the journal. The content is accessed by atomic operations only.
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer

    /// Creates the file, or replaces its content: zero-filled, with mode 0600.
    ///
    /// - Parameter byteCount: above 0, a multiple of 8.
    package init(creating path: String, byteCount: Int) throws(SystemError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemError(in: "open") }
        defer { close(descriptor) }
        let status = posix_fallocate(descriptor, 0, byteCount)
        guard status == 0 else { throw SystemError(status, in: "posix_fallocate") }
        let address = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else { throw SystemError(in: "mmap") }
        // Keeps the pages in memory, so that no store waits for the disk. If the process may not lock memory, the first
        // store to a page may wait.
        unsafe mlock(address, byteCount)
        unsafe base = address
        self.byteCount = byteCount
    }

    deinit {
        unsafe csystem_forget_crashes(base, byteCount)
        unsafe munmap(base, byteCount)
    }

    package func load(at offset: Int) -> UInt64 { unsafe csystem_load_64(place(offset)) }

    package func store(_ value: UInt64, at offset: Int) { unsafe csystem_store_64(place(offset), value) }

    /// From now on, a crash of this process is stored in the word at `offset`: the signal in the lower half, the tag of
    /// the task or thread that crashed (`CrashTag`) in the upper. Ends when this object is released or another word is
    /// chosen.
    package func noteCrashes(at offset: Int) {
        // Initializes the task local, which a signal handler must not do.
        _ = CrashTag.current
        unsafe csystem_note_crashes(place(offset)) { CrashTag.current }
    }

    private func place(_ offset: Int) -> UnsafeMutableRawPointer {
        precondition(offset >= 0 && offset <= byteCount - 8 && offset % 8 == 0, "outside the mapped file")
        return unsafe base + offset
    }
}
