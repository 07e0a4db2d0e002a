// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import Foundation

/// A file that is replaced as a whole. If it cannot be written completely, for example because the disk is full, the
/// earlier file is unchanged and no new file is left behind, except where `write` writes to the target directly.
struct ReplacedFile {
    let path: [UInt8]

    /// Writes to a new file beside the target, which then replaces it with the same permissions. If the target is not a
    /// regular file, or no file can be made in its folder, it is written to directly.
    func write(_ bytes: [UInt8]) throws {
        guard let target = try target(), let beside = beside(target.path) else {
            let descriptor = try NamedFile.open(path, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o666)
            return try write(bytes, to: descriptor)
        }
        do {
            if let mode = target.mode { fchmod(beside.descriptor, mode) }
            try write(bytes, to: beside.descriptor)
            try NamedFile.rename(beside.path, to: target.path)
        } catch {
            NamedFile.remove(beside.path)
            throw error
        }
    }

    /// The path of the file, with links resolved, and its permissions if it exists. `nil` if it cannot be replaced.
    private func target() throws(SystemError) -> (path: [UInt8], mode: UInt32?)? {
        let descriptor: CInt
        do throws(SystemError) { descriptor = try NamedFile.open(path, flags: O_WRONLY | O_NONBLOCK | O_NOCTTY) } catch
        {
            switch error.code {
            case ENOENT:
                // A link to a missing file is not replaced, but followed: the file is written to directly.
                return NamedFile.isLink(path) ? nil : (path, nil)
            // A FIFO without a reader.
            case ENXIO: return nil
            default: throw error
            }
        }
        defer { close(descriptor) }
        guard let mode = NamedFile.permissions(ofRegular: descriptor), let path = NamedFile.path(of: descriptor) else {
            return nil
        }
        return (path, mode)
    }

    /// Creates a new file in the folder of `target`. Returns `nil` if it cannot be created.
    private func beside(_ target: [UInt8]) -> (path: [UInt8], descriptor: CInt)? {
        let path = target + Array(".\(getpid()).part".utf8)
        do throws(SystemError) {
            return (path, try NamedFile.open(path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o666))
        } catch {
            return nil
        }
    }

    private func write(_ bytes: [UInt8], to descriptor: CInt) throws {
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data(bytes))
        try handle.close()
    }
}
