// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Files whose names say what they are, in the folder that `FUZZ_FOLDER` names; else where the program was started.
enum Folder {
    private static let path = unsafe getenv("FUZZ_FOLDER").map { unsafe String(cString: $0) } ?? "."

    /// Sources have no other.
    private static let absolutePath: String = {
        guard let real = unsafe realpath(path, nil) else { fatalError("\(path) is no folder") }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }()

    /// Writes a file anew.
    ///
    /// - Returns: its path.
    static func put(_ bytes: [UInt8], as name: String) -> String {
        let file = "\(absolutePath)/\(name)"
        let descriptor = unsafe open(file, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
        let written = unsafe write(descriptor, bytes, bytes.count)
        close(descriptor)
        guard written == bytes.count else { fatalError("\(file) cannot be written") }
        return file
    }
}
