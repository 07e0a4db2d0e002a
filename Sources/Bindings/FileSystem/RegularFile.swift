// SPDX-License-Identifier: Apache-2.0

// Imported for the members of `struct timespec`, which an optimised build attributes to the first module that included
// it.
internal import CAlsa
internal import Glibc
internal import Synchronization

/// A file open for reading at any offset.
///
/// Thread-safety: safe. `pread` has no file position, so cursors may share one descriptor.
package final class RegularFile: Sendable {
    /// Distinguishes one state of a file from another, for the plan cache and for detecting a replaced file.
    package struct Identity: Hashable, Sendable {
        package let device: UInt64
        package let inode: UInt64
        package let byteCount: Int64
        package let modifiedNanoseconds: Int64
    }

    package enum OpenError: Error, Sendable {
        case failed(Errno)
        /// A directory, FIFO, socket or device, named by what it is.
        case notRegular(String)
    }

    package let path: String
    package let identity: Identity
    private let descriptor: CInt
    private let readByteCount = Atomic<UInt64>(0)

    /// Bytes read so far, by all cursors.
    package var bytesRead: UInt64 { readByteCount.load(ordering: .relaxed) }

    package var byteCount: Int64 { identity.byteCount }

    /// Another path to the file. It works as long as this value lives, even if the file is renamed or deleted
    /// (`proc(5)`).
    var descriptorPath: String { "/proc/self/fd/\(descriptor)" }

    /// `open(2)` without blocking on a FIFO, then `fstat(2)`.
    package init(path: String) throws(OpenError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .failed(Errno(in: "open")) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            let error = Errno(in: "fstat")
            close(descriptor)
            throw .failed(error)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .notRegular(Self.kind(of: status.st_mode))
        }
        self.descriptor = descriptor
        self.path = path
        identity = Identity(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            byteCount: Int64(status.st_size),
            modifiedNanoseconds: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        )
    }

    deinit { close(descriptor) }

    private static func kind(of mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFDIR: "a directory"
        case S_IFIFO: "a FIFO"
        case S_IFSOCK: "a socket"
        case S_IFCHR, S_IFBLK: "a device"
        default: "a special file"
        }
    }

    /// `pread(2)` into `buffer`. Returns the bytes read, 0 at the end.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        while true {
            let count = unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 {
                readByteCount.wrappingAdd(UInt64(count), ordering: .relaxed)
                return count
            }
            guard Glibc.errno == EINTR else { throw Errno(in: "pread") }
        }
    }

    /// Up to `count` bytes from `offset`; fewer only at the end of the file. The caller bounds `count`.
    package func read(at offset: Int64, count: Int) throws(Errno) -> [UInt8] {
        guard offset >= 0, offset < byteCount, count > 0 else { return [] }
        let wanted = Int(min(Int64(count), byteCount - offset))
        var failure: Errno?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
            while filled < wanted {
                let rest = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...]
                )
                do throws(Errno) {
                    let count = try unsafe read(at: offset + Int64(filled), into: rest)
                    if count == 0 { return }
                    filled += count
                } catch {
                    failure = error
                    return
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
