// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The control groups of this process that account for memory, and the kernel's files about memory.
enum ControlGroups {
    enum Version { case first, second }

    /// The folders of the groups, each followed by its parents.
    ///
    /// - Parameter read: returns the content of a file, or `nil` if the file cannot be read.
    static func folders(reading read: (String) -> String?) -> [(folder: String, version: Version)] {
        var folders: [(folder: String, version: Version)] = []
        for line in (read("/proc/self/cgroup") ?? "").split(separator: "\n") {
            // `hierarchy:controllers:path`, where a group of v2 has no controllers.
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[2].hasPrefix("/") else { continue }
            let (root, version): (String, Version)
            if fields[1].isEmpty {
                (root, version) = ("/sys/fs/cgroup", .second)
            } else if fields[1].split(separator: ",").contains("memory") {
                (root, version) = ("/sys/fs/cgroup/memory", .first)
            } else {
                continue
            }
            var path = fields[2]
            while true {
                folders.append((root + (path == "/" ? "" : path), version))
                guard path != "/", let slash = path.lastIndex(of: "/") else { break }
                path = slash == path.startIndex ? "/" : path[..<slash]
            }
        }
        return folders
    }

    /// Reads a short file of the kernel, at most 8 KiB. `nil` if it cannot be read or is empty.
    static func text(_ path: String) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return text(file)
    }

    /// As above, for an open file, which is read from its beginning.
    static func text(_ file: CInt) -> String? {
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(file, $0.baseAddress, $0.count, 0) }
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
