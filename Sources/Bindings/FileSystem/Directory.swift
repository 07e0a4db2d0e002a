// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
package import EngineModel
internal import EngineRuntime
internal import Glibc

/// An open folder: its entries, in the order of the file system.
///
/// Not thread-safe: owned by one actor with a thread of its own.
@safe package struct Directory: ~Copyable {
    package struct Entry: Hashable, Sendable {
        package let name: [UInt8]
        /// Whether the entry is a folder, a symbolic link, or of a type that the file system does not report.
        package let mayBeFolder: Bool
    }

    private let stream: OpaquePointer

    /// Whether `path` is a folder (`stat(2)`).
    package static func exists(_ path: FilePath) -> Bool {
        var status = stat()
        return unsafe stat(path.cString, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Opens a folder (`open(2)`, `fdopendir(3)`).
    package init(_ path: FilePath) throws(Errno) {
        try self.init(
            Self.descriptor { () throws(SystemError) in try NamedFile.open(path.bytes, flags: O_RDONLY | O_DIRECTORY) }
        )
    }

    /// Opens a folder below another one. No link may lead out of that folder (`NamedFile.open(_:beneath:flags:)`).
    package init(_ name: [UInt8], beneath folder: borrowing Directory) throws(Errno) {
        let parent = unsafe dirfd(folder.stream)
        try self.init(
            Self.descriptor { () throws(SystemError) in
                try NamedFile.open(name, beneath: parent, flags: O_RDONLY | O_DIRECTORY)
            }
        )
    }

    private init(_ descriptor: CInt) throws(Errno) {
        guard let stream = unsafe fdopendir(descriptor) else {
            let error = Errno(in: "fdopendir")
            close(descriptor)
            throw error
        }
        unsafe self.stream = stream
    }

    private static func descriptor(_ open: () throws(SystemError) -> CInt) throws(Errno) -> CInt {
        do throws(SystemError) { return try open() } catch { throw Errno(error) }
    }

    deinit { unsafe closedir(stream) }

    /// The next entry, other than `.` and `..`; `nil` after the last one (`readdir(3)`).
    package mutating func next() throws(Errno) -> Entry? {
        while true {
            guard let entry = unsafe csystem_read_directory(stream) else {
                guard errno == 0 else { throw Errno(in: "readdir") }
                return nil
            }
            guard let text = unsafe csystem_entry_name(entry) else { continue }
            let name = unsafe UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) }
            if name == [UInt8(ascii: ".")] || name == Array("..".utf8) { continue }
            return unsafe Entry(name: name, mayBeFolder: csystem_entry_may_be_directory(entry))
        }
    }
}

extension Errno {
    init(_ error: SystemError) { self.init(code: error.code, in: error.function) }
}
