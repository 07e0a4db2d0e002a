// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// How much memory this process can have.
package enum MemoryLimit {
    /// In bytes, the smallest of the machine's memory (sysconf(3), which needs no file: a service may have no
    /// `/proc/meminfo`) and the limits of this process's control groups (`memory.max` of cgroup v2,
    /// `memory.limit_in_bytes` of v1).
    package static func bytes() -> Int {
        bytes(machine: sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)), reading: ControlGroups.text)
    }

    /// - Parameter read: returns the content of a file, or `nil` if the file cannot be read.
    static func bytes(machine: Int, reading read: (String) -> String?) -> Int {
        // The limits of all parent groups apply as well.
        let limits = ControlGroups.folders(reading: read).compactMap { folder, version in
            number(read(folder + (version == .first ? "/memory.limit_in_bytes" : "/memory.max")))
        }
        return limits.reduce(machine, min)
    }

    /// Returns `nil` for `max`, which means no limit.
    private static func number(_ text: String?) -> Int? {
        text?.split(separator: "\n").first.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    }
}
