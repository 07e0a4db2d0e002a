// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// How much memory this process can have.
package enum MemoryLimit {
    /// In bytes, the smallest of the machine's memory and the limits of this process's control groups (`memory.max` of
    /// cgroup v2, `memory.limit_in_bytes` of v1). `nil` if none of them can be read.
    package static func bytes() -> Int? { bytes(reading: text) }

    /// - Parameter read: returns the content of a file, or `nil` if the file cannot be read.
    static func bytes(reading read: (String) -> String?) -> Int? {
        var limits = [total(read("/proc/meminfo"))]
        for line in (read("/proc/self/cgroup") ?? "").split(separator: "\n") {
            // `hierarchy:controllers:path`, where a group of v2 has no controllers.
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[2].hasPrefix("/") else { continue }
            let (root, name): (String, String)
            if fields[1].isEmpty {
                (root, name) = ("/sys/fs/cgroup", "memory.max")
            } else if fields[1].split(separator: ",").contains("memory") {
                (root, name) = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            } else {
                continue
            }
            // The limits of all parent groups apply as well.
            var path = fields[2]
            while true {
                limits.append(number(read("\(root)\(path == "/" ? "" : path)/\(name)")))
                guard path != "/", let slash = path.lastIndex(of: "/") else { break }
                path = slash == path.startIndex ? "/" : path[..<slash]
            }
        }
        return limits.compactMap { $0 }.min()
    }

    private static func total(_ info: String?) -> Int? {
        let line = info?.split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
    }

    /// Returns `nil` for `max`, which means no limit.
    private static func number(_ text: String?) -> Int? {
        text?.split(separator: "\n").first.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    private static func text(_ path: String) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
