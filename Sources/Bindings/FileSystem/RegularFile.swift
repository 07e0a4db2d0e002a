// SPDX-License-Identifier: Apache-2.0

// Imported for the members of `struct timespec`, which an optimised build attributes to the first module that included
// it.
internal import CAlsa
internal import CSystemShims
package import EngineModel
internal import EngineRuntime
internal import Glibc
internal import Synchronization

/// A file, or a block device such as an optical drive, open for reading at any offset.
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

    /// The number of bytes at each end that are compared to distinguish a file that has grown from an overwritten file.
    private static let edgeByteCount = 4096
    /// The number of bytes at the start of a device that identify the medium in it. They include the descriptors of a
    /// disc's file system, which state when it was written.
    private static let markByteCount = 128 << 10
    /// How often a read from a device is tried.
    private static let deviceAttempts = 2

    package enum OpenError: Error, Sendable {
        case failed(Errno)
        /// A directory, FIFO, socket or device that cannot be read as a file; the value names the type.
        case notRegular(String)
    }

    package let name: FilePath
    let opened: Identity
    /// The first and the last bytes as they were when the file was opened.
    private let edges: [[UInt8]]
    private let descriptor: CInt
    private let isDevice: Bool
    private let readByteCount = Atomic<UInt64>(0)

    /// The path for messages and clients (`FilePath.text`).
    package var path: String { name.text }

    /// Bytes read so far, by all cursors.
    package var bytesRead: UInt64 { readByteCount.load(ordering: .relaxed) }

    package var byteCount: Int64 { opened.byteCount }

    /// Another path to the file, valid as long as this value lives, even if the file is renamed or deleted (`proc(5)`).
    var descriptorPath: String { "/proc/self/fd/\(descriptor)" }

    package convenience init(path: String) throws(OpenError) { try self.init(FilePath(path)) }

    /// `open(2)` without blocking on a FIFO, then `fstat(2)`.
    ///
    /// - Parameter allowsDevices: whether `name` may also be a block device.
    package convenience init(_ name: FilePath, allowsDevices: Bool = false) throws(OpenError) {
        try self.init(name, allowsDevices: allowsDevices) { () throws(SystemError) in
            try NamedFile.open(name.bytes, flags: Self.flags)
        }
    }

    /// Opens a file that was found below a folder, where other users may be able to create links. A link that leads out
    /// of the folder is followed only if it is the last component and belongs to the user of this process.
    ///
    /// - Parameter name: relative to the folder.
    /// - Throws: `EXDEV` for any other link out of the folder.
    package convenience init(_ name: [UInt8], foundBeneath folder: FilePath) throws(OpenError) {
        try self.init(folder.appending(name), allowsDevices: false) { () throws(SystemError) in
            let parent = try NamedFile.open(folder.bytes, flags: O_RDONLY | O_DIRECTORY)
            defer { close(parent) }
            do throws(SystemError) {
                return try NamedFile.open(name, beneath: parent, flags: Self.flags)
            } catch {
                guard error.code == EXDEV || error.code == ELOOP else { throw error }
            }
            let path = FilePath(name)
            guard !path.folder.bytes.isEmpty else {
                return try NamedFile.open(ownLink: name, in: parent, flags: Self.flags)
            }
            let inner = try NamedFile.open(path.folder.bytes, beneath: parent, flags: O_RDONLY | O_DIRECTORY)
            defer { close(inner) }
            return try NamedFile.open(ownLink: path.name, in: inner, flags: Self.flags)
        }
    }

    private static let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY

    private init(
        _ name: FilePath,
        allowsDevices: Bool,
        opening open: () throws(SystemError) -> CInt
    ) throws(OpenError) {
        let descriptor: CInt
        do throws(SystemError) { descriptor = try open() } catch { throw .failed(Errno(error)) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            let error = Errno(in: "fstat")
            close(descriptor)
            throw .failed(error)
        }
        isDevice = allowsDevices && status.st_mode & S_IFMT == S_IFBLK
        guard isDevice || status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .notRegular(Self.kind(of: status.st_mode))
        }
        self.descriptor = descriptor
        self.name = name
        opened = isDevice ? Self.identity(ofDevice: descriptor, status) : Identity(status)
        edges = Self.edges(of: descriptor, byteCount: opened.byteCount)
    }

    deinit { close(descriptor) }

    /// A read that fails or ends early yields a shorter edge.
    private static func edges(of descriptor: CInt, byteCount: Int64) -> [[UInt8]] {
        [0, max(0, byteCount - Int64(edgeByteCount))].map { bytes(of: descriptor, at: $0, edgeByteCount) }
    }

    /// What one `pread(2)` returns; empty if it fails.
    private static func bytes(of descriptor: CInt, at offset: Int64, _ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, unsafe pread(descriptor, buffer.baseAddress, count, off_t(offset)))
        }
    }

    /// The identity of the medium in a device. A device has no time of modification; its first bytes take that place.
    private static func identity(ofDevice descriptor: CInt, _ status: stat) -> Identity {
        var hash = StableHash()
        hash.add(bytes(of: descriptor, at: 0, markByteCount))
        return Identity(
            device: UInt64(status.st_rdev),
            inode: UInt64(status.st_ino),
            byteCount: deviceByteCount(descriptor),
            modifiedNanoseconds: Int64(bitPattern: hash.value)
        )
    }

    /// The size of a device, which `fstat(2)` does not state; 0 if there is no medium in it.
    private static func deviceByteCount(_ descriptor: CInt) -> Int64 { max(0, Int64(lseek(descriptor, 0, SEEK_END))) }

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
        var attempts = isDevice ? Self.deviceAttempts : 1
        while true {
            let count = unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 {
                readByteCount.wrappingAdd(UInt64(count), ordering: .relaxed)
                return count
            }
            if Glibc.errno == EINTR { continue }
            attempts -= 1
            guard attempts > 0, Glibc.errno == EIO else { throw Errno(in: "pread") }
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

extension RegularFile.Identity {
    fileprivate init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        byteCount = Int64(status.st_size)
        modifiedNanoseconds = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }
}

extension RegularFile: ByteSource {
    package var fileName: FilePath? { name }
    package var identity: SourceIdentity { .file(opened) }
    package var isRemote: Bool { false }

    package func cursor(_ interrupt: InterruptFlag) -> any ByteCursor { Cursor(self, interrupt) }

    /// A file that has only grown, such as a recording that continues, counts as the same file.
    package func verify() throws(EngineError) {
        let now = try status()
        guard now != opened else { return }
        if now.byteCount > opened.byteCount, Self.edges(of: descriptor, byteCount: opened.byteCount) == edges { return }
        throw changed(to: now)
    }

    /// `fstat(2)`.
    func status() throws(EngineError) -> Identity {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw EngineError(.sourceReadFailed, "reading \(path) failed", cause: "\(Errno(in: "fstat"))")
        }
        guard isDevice else { return Identity(status) }
        // Another medium is noticed here only by its size.
        return Identity(
            device: opened.device,
            inode: opened.inode,
            byteCount: Self.deviceByteCount(descriptor),
            modifiedNanoseconds: opened.modifiedNanoseconds
        )
    }

    func changed(to now: Identity) -> EngineError {
        EngineError(
            .sourceChanged,
            "\(path) was changed while it was in use",
            cause: "\(opened.byteCount) bytes when it was opened, \(now.byteCount) now, modified since"
        )
    }

    /// Whether a process has the file open for writing. `nil` if that cannot be determined.
    var hasWriter: Bool? {
        if isDevice { return false }
        return switch csystem_has_writer(descriptor) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    private final class Cursor: ByteCursor {
        private let file: RegularFile
        private let interrupt: InterruptFlag

        init(_ file: RegularFile, _ interrupt: InterruptFlag) {
            self.file = file
            self.interrupt = interrupt
        }

        var byteCount: Int64 { file.byteCount }

        func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int {
            if interrupt.isUp { throw EngineError(.cancelled, "reading \(file.path) was interrupted") }
            do throws(Errno) {
                return try unsafe output.withUnsafeMutableBytes { buffer, filled throws(Errno) in
                    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                    let count = try unsafe file.read(at: offset, into: rest)
                    filled += count
                    return count
                }
            } catch {
                throw EngineError(.sourceReadFailed, "reading \(file.path) failed", cause: "\(error)")
            }
        }
    }
}
