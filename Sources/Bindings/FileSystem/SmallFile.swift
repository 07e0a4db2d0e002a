// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reads and atomically replaces whole small files.
package enum SmallFile {
    /// The content of the file at `path`, or an empty array if it is longer than `limit` bytes.
    package static func read(_ path: String, limit: Int) throws(RegularFile.OpenError) -> [UInt8] {
        let file = try RegularFile(path: path)
        guard file.byteCount <= limit else { return [] }
        do throws(Errno) {
            return try file.read(at: 0, count: Int(file.byteCount))
        } catch {
            throw .failed(error)
        }
    }

    /// Writes a temporary file and renames it, so that readers see either the old content or the new, never a part of
    /// it.
    ///
    /// - Parameters:
    ///   - directory: created with mode 0700, including its parents, if missing.
    ///   - place: the path of the temporary file; `nil` for a path that only this process uses. The file is left behind
    ///     if the process is killed while writing.
    package static func write(
        _ bytes: [UInt8],
        to path: String,
        makingDirectory directory: String,
        through place: String? = nil
    ) throws(Errno) {
        try makeDirectory(directory)
        let temporary = place ?? "\(path).\(getpid()).tmp"
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Errno(in: "open") }
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let error = Errno(in: "write")
                close(descriptor)
                unsafe unlink(temporary)
                throw error
            }
            written += count
        }
        close(descriptor)
        guard unsafe rename(temporary, path) == 0 else {
            let error = Errno(in: "rename")
            unsafe unlink(temporary)
            throw error
        }
    }

    /// Creates an empty file with mode 0600, unless the file exists.
    package static func makePrivate(_ path: String) throws(Errno) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Errno(in: "open") }
        close(descriptor)
    }

    static func makeDirectory(_ path: String) throws(Errno) {
        if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw Errno(in: "mkdir")
        }
        try makeDirectory(String(path[..<slash]))
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Errno(in: "mkdir") }
    }
}

extension SmallFile {
    /// Renames a file, replacing `target` if it exists (`rename`).
    package static func move(_ path: String, to target: String) throws(Errno) {
        guard unsafe rename(path, target) == 0 else { throw Errno(in: "rename") }
    }

    /// Removes a file; a missing one is not an error (`unlink`).
    package static func remove(_ path: String) throws(Errno) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw Errno(in: "unlink") }
    }
}
