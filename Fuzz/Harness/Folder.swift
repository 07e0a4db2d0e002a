// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Files in the folder that `FUZZ_FOLDER` names, or in the working directory; their names say what they are.
enum Folder {
    private static let path = unsafe getenv("FUZZ_FOLDER").map { unsafe String(cString: $0) } ?? "."

    /// The engine opens sources by absolute paths only.
    private static let absolutePath: String = {
        guard let real = unsafe realpath(path, nil) else { fatalError("\(path) is no folder") }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }()

    /// Creates or replaces a file.
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
