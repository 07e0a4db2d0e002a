// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineRuntime
internal import Foundation

/// A file that an argument names. Its name may be any bytes: the parser sees arguments as `ByteText`.
struct FileArgument: Equatable {
    /// Absolute: resolved against the working directory of this process, which is not the engine's.
    ///
    /// If the working directory has no path, because it was removed or cannot be searched, this is a path below /proc,
    /// valid as long as this process runs.
    let path: FilePath

    /// - Parameter path: absolute.
    init(path: FilePath) { self.path = path }

    /// - Parameter argument: a path, as `ByteText`.
    init(_ argument: String) {
        var name = FilePath(ByteText.bytes(of: argument))
        guard !name.isAbsolute else {
            path = name
            return
        }
        // Users write `./-name` for a name that looks like an option.
        while name.bytes.starts(with: "./".utf8) { name = FilePath(Array(name.bytes.dropFirst(2))) }
        let directory: FilePath
        do throws(SystemError) { directory = FilePath(try ProcessNames.workingDirectory()) } catch {
            path = FilePath("/proc/\(getpid())/cwd").appending(name.bytes)
            return
        }
        // The kernel's answer begins with "(unreachable)" if the directory is not below the root.
        let isReachable = directory.isAbsolute
        path = (isReachable ? directory : FilePath("/proc/\(getpid())/cwd")).appending(name.bytes)
    }

    /// The source in the form that the engine expects: an absolute path, or a URL. A URL with an unknown scheme is
    /// passed on, and the engine rejects it, unless a file has that name.
    static func source(_ argument: String) -> String {
        guard !ByteText.hasEscapes(argument) else { return FileArgument(argument).path.text }
        let isNamed = ["file:", "pipe:"].contains(where: argument.lowercased().hasPrefix)
        if isNamed || ServerScheme(ofURL: argument) != nil { return argument }
        let scheme = argument.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        let file = FileArgument(argument)
        let isURL =
            !scheme.isEmpty && argument.dropFirst(scheme.count).hasPrefix("://")
            || ServerScheme(ofBrokenURL: argument) != nil
        return isURL && !file.exists ? argument : file.path.text
    }

    var exists: Bool { NamedFile.exists(path.bytes) }

    /// Creates the file, or truncates it.
    func create() throws(Failure) -> FileHandle {
        do throws(SystemError) { return try open(O_WRONLY | O_CREAT | O_TRUNC) } catch {
            throw Failure(.failed, "cannot write \(path): \(error)")
        }
    }

    /// Replaces the file, or leaves it unchanged on failure; see `ReplacedFile`.
    func write(_ bytes: [UInt8]) throws(Failure) {
        do {
            try ReplacedFile(path: path.bytes).write(bytes)
        } catch let error as SystemError {
            throw Failure(.failed, "cannot write \(path): \(error)")
        } catch {
            throw Failure(.failed, "cannot write \(path): \(error.localizedDescription)")
        }
    }

    /// Creates a folder, and those above it that are missing. A folder that exists is left unchanged.
    func makeFolder() throws(Failure) {
        do throws(SystemError) { try NamedFile.makeFolder(path.bytes) } catch {
            throw Failure(.failed, "cannot create \(path): \(error)")
        }
    }

    /// The whole file as text.
    ///
    /// - Parameter byteLimit: a longer file is refused, as is a device without an end.
    func text(byteLimit: Int = 64 << 20) throws(Failure) -> String {
        let bytes = try bytes(byteLimit: byteLimit, failing: "\(path) is not readable as text")
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.failed, "\(path) is not readable as text: it is not UTF-8")
        }
        return text
    }

    /// The whole file.
    ///
    /// - Parameters:
    ///   - byteLimit: a longer file is refused, as is a device without an end.
    ///   - message: how the message of a failure begins.
    func bytes(byteLimit: Int, failing message: String) throws(Failure) -> [UInt8] {
        var data = Data()
        do {
            let file = try open(O_RDONLY)
            // A read from a pipe may return only part of its content.
            while data.count <= byteLimit, let piece = try file.read(upToCount: byteLimit + 1 - data.count),
                !piece.isEmpty
            {
                data += piece
            }
        } catch let error as SystemError {
            throw Failure(.failed, "\(message): \(error)")
        } catch {
            throw Failure(.failed, "\(message): \(error.localizedDescription)")
        }
        guard data.count <= byteLimit else {
            throw Failure(.failed, "\(path) is too large: it has more than \(byteLimit) bytes")
        }
        return Array(data)
    }

    private func open(_ flags: CInt) throws(SystemError) -> FileHandle {
        FileHandle(fileDescriptor: try NamedFile.open(path.bytes, flags: flags, mode: 0o666), closeOnDealloc: true)
    }
}

/// Checks an argument that is not a file name: unlike file names, it must be UTF-8.
func requireText(_ argument: String?, _ name: String) throws {
    guard let argument, ByteText.hasEscapes(argument) else { return }
    throw ValidationError("\(name) is not UTF-8.")
}
