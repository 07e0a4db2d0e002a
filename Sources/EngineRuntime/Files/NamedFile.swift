// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// Opens files by names given as bytes, in any encoding and of any length.
///
/// Thread-safety: safe. No name may contain NUL.
package enum NamedFile {
    /// The longest path that one system call accepts, in bytes (`PATH_MAX` without the NUL).
    private static let pieceLimit = 4095

    /// `open(2)`, always with `O_CLOEXEC`. A path that is longer than one system call accepts is opened folder by
    /// folder.
    ///
    /// - Returns: a descriptor, which the caller closes.
    package static func open(_ path: [UInt8], flags: CInt, mode: UInt32 = 0) throws(SystemError) -> CInt {
        guard path.count > pieceLimit else { return try open(path[...], in: AT_FDCWD, flags, mode) }
        var folder = AT_FDCWD
        defer { if folder != AT_FDCWD { close(folder) } }
        var rest = path[...]
        while rest.count > pieceLimit {
            guard let slash = rest.prefix(pieceLimit).lastIndex(of: UInt8(ascii: "/")), slash > rest.startIndex else {
                throw SystemError(ENAMETOOLONG, in: "open")
            }
            let next = try open(rest[..<slash], in: folder, csystem_path_only() | O_DIRECTORY, 0)
            if folder != AT_FDCWD { close(folder) }
            folder = next
            // The rest must not begin with a slash, which would mean the root.
            rest = rest[slash...].drop { $0 == UInt8(ascii: "/") }
        }
        return try open(rest, in: folder, flags, mode)
    }

    private static func open(
        _ path: ArraySlice<UInt8>,
        in folder: CInt,
        _ flags: CInt,
        _ mode: UInt32
    ) throws(SystemError) -> CInt {
        while true {
            let descriptor = unsafe withCString(path) { unsafe csystem_open_at(folder, $0, flags | O_CLOEXEC, mode) }
            if descriptor >= 0 { return descriptor }
            guard errno == EINTR else { throw SystemError(in: "open") }
        }
    }

    /// Opens a file below a folder. Neither `..` nor a symbolic link may lead out of the folder (`openat2(2)`,
    /// `RESOLVE_BENEATH`); the error is then `EXDEV`. On a kernel without `openat2`, only files in the folder itself
    /// can be opened: other names fail with `ENOSYS`, links with `ELOOP`.
    package static func open(_ name: [UInt8], beneath folder: CInt, flags: CInt) throws(SystemError) -> CInt {
        while true {
            let descriptor = unsafe withCString(name[...]) {
                unsafe csystem_open_beneath(folder, $0, flags | O_CLOEXEC)
            }
            if descriptor >= 0 { return descriptor }
            guard errno == EINTR || errno == EAGAIN else { throw SystemError(in: "openat2") }
        }
    }

    /// Opens the target of a symbolic link, if the link belongs to this process's user. The path of the target must not
    /// contain another link (`RESOLVE_NO_SYMLINKS`).
    ///
    /// - Parameters:
    ///   - name: without slashes.
    ///   - folder: the folder that contains the link.
    /// - Throws: `EXDEV` if the file is not a link, belongs to another user, or leads through another link.
    package static func open(ownLink name: [UInt8], in folder: CInt, flags: CInt) throws(SystemError) -> CInt {
        var target = [CChar](repeating: 0, count: pieceLimit + 1)
        let length = unsafe withCString(name[...]) { name in
            unsafe target.withUnsafeMutableBufferPointer {
                unsafe csystem_read_own_link(folder, name, $0.baseAddress, $0.count)
            }
        }
        guard length >= 0 else { throw SystemError(in: "readlinkat") }
        let path = target.prefix(Int(length)).map { UInt8(bitPattern: $0) }
        let descriptor = unsafe withCString(path[...]) {
            unsafe csystem_open_without_links(folder, $0, flags | O_CLOEXEC)
        }
        guard descriptor >= 0 else { throw SystemError(errno == ELOOP ? EXDEV : errno, in: "openat2") }
        return descriptor
    }

    /// Whether a file of any type has this name; links are followed (`open(2)` with `O_PATH`).
    package static func exists(_ path: [UInt8]) -> Bool {
        do throws(SystemError) {
            close(try open(path, flags: csystem_path_only()))
            return true
        } catch {
            return false
        }
    }

    /// Whether the file of this name is a socket; links are followed. `nil` if it cannot be opened.
    package static func isSocket(_ path: [UInt8]) -> Bool? {
        let descriptor: CInt
        do throws(SystemError) { descriptor = try open(path, flags: csystem_path_only()) } catch { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        return status.st_mode & S_IFMT == S_IFSOCK
    }

    /// The path of an open file, with all links resolved (`readlink(2)` in `/proc/self/fd`). `nil` if the file has no
    /// path, or one that is longer than one system call accepts.
    package static func path(of descriptor: CInt) -> [UInt8]? {
        var target = [CChar](repeating: 0, count: pieceLimit + 1)
        let length = unsafe readlink("/proc/self/fd/\(descriptor)", &target, target.count)
        guard length > 0, length <= pieceLimit, target[0] == CChar(bitPattern: UInt8(ascii: "/")) else { return nil }
        return target.prefix(length).map { UInt8(bitPattern: $0) }
    }

    /// Whether a path names a symbolic link. `false` also if its folder cannot be opened.
    package static func isLink(_ path: [UInt8]) -> Bool {
        var first: CChar = 0
        do throws(SystemError) {
            return try inFolder(path) { (folder, name) throws(SystemError) in
                unsafe withCString(name) { unsafe readlinkat(folder, $0, &first, 1) } > 0
            }
        } catch {
            return false
        }
    }

    /// The permissions of an open file. `nil` if it is not a regular file.
    package static func permissions(ofRegular descriptor: CInt) -> UInt32? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return status.st_mode & 0o7777
    }

    /// Renames a file, replacing `target` if it exists (`renameat(2)`).
    package static func rename(_ path: [UInt8], to target: [UInt8]) throws(SystemError) {
        try inFolder(path) { (folder, name) throws(SystemError) in
            try inFolder(target) { (targetFolder, targetName) throws(SystemError) in
                let status = unsafe withCString(name) { name in
                    unsafe withCString(targetName) { unsafe renameat(folder, name, targetFolder, $0) }
                }
                guard status == 0 else { throw SystemError(in: "renameat") }
            }
        }
    }

    /// Creates a folder, and those above it that are missing (`mkdirat(2)`). A folder that exists is left unchanged.
    package static func makeFolder(_ path: [UInt8]) throws(SystemError) {
        let slash = UInt8(ascii: "/")
        let end = path.lastIndex { $0 != slash } ?? path.startIndex
        let path = path.isEmpty ? path : Array(path[...end])
        do throws(SystemError) { try makeLastFolder(path) } catch {
            guard error.code == ENOENT, let last = path.lastIndex(of: slash), last > 0 else { throw error }
            try makeFolder(Array(path[..<last]))
            try makeLastFolder(path)
        }
    }

    private static func makeLastFolder(_ path: [UInt8]) throws(SystemError) {
        let code = try inFolder(path) { folder, name in
            unsafe withCString(name) { unsafe mkdirat(folder, $0, 0o777) } == 0 ? 0 : errno
        }
        guard code == 0 || code == EEXIST else { throw SystemError(code, in: "mkdirat") }
        // What exists may be a file.
        if code == EEXIST { close(try open(path, flags: csystem_path_only() | O_DIRECTORY)) }
    }

    /// Removes a file, if it exists (`unlinkat(2)`). Failures are ignored.
    package static func remove(_ path: [UInt8]) {
        do throws(SystemError) {
            try inFolder(path) { folder, name in _ = unsafe withCString(name) { unsafe unlinkat(folder, $0, 0) } }
        } catch {
            // The folder is gone, and the file with it.
        }
    }

    /// Calls `body` with a folder and the name of a file relative to it. The folder is `AT_FDCWD` and the name is the
    /// whole path, unless the path is longer than one system call accepts.
    private static func inFolder<Result>(
        _ path: [UInt8],
        _ body: (CInt, ArraySlice<UInt8>) throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        guard path.count > pieceLimit, let slash = path.lastIndex(of: UInt8(ascii: "/")) else {
            return try body(AT_FDCWD, path[...])
        }
        let folder = try open(Array(path[..<slash]), flags: csystem_path_only() | O_DIRECTORY)
        defer { close(folder) }
        return try body(folder, path[(slash + 1)...])
    }

    private static func withCString<Result>(
        _ path: ArraySlice<UInt8>,
        _ body: (UnsafePointer<CChar>) -> Result
    ) -> Result {
        let text = path.map { CChar(bitPattern: $0) } + [0]
        return unsafe text.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("an array of at least one element") }
            return unsafe body(start)
        }
    }
}
