// SPDX-License-Identifier: Apache-2.0

@testable import EngineRuntime
import Testing

@Suite("The memory limit of the process")
struct MemoryLimitTests {
    private static let machine = ["/proc/meminfo": "MemTotal:        1000 kB\nMemFree:          10 kB\n"]

    private func limit(_ files: [String: String]) -> Int? { MemoryLimit.bytes { files[$0] } }

    @Test("Without control groups the limit is the machine's memory; without readable files it is unknown")
    func machine() {
        #expect(limit(Self.machine) == 1_024_000)
        #expect(limit([:]) == nil)
        #expect(limit(["/proc/meminfo": "MemTotal: many kB\n", "/proc/self/cgroup": "nonsense\n::\n0::x\n"]) == nil)
    }

    @Test(
        "The smallest limit of the group and its parents applies",
        arguments: [
            ("max", "max", 1_024_000), ("5000", "max", 5000), ("5000", "4000", 4000), ("0", "-1", 1_024_000),
            ("9223372036854771712", "max", 1_024_000), ("", "max", 1_024_000),
        ]
    )
    func groups(_ inner: String, _ outer: String, _ expected: Int) {
        let files = Self.machine.merging([
            "/proc/self/cgroup": "0::/user.slice/engined.service\n",
            "/sys/fs/cgroup/user.slice/engined.service/memory.max": inner + "\n",
            "/sys/fs/cgroup/user.slice/memory.max": outer + "\n",
        ]) { $1 }
        #expect(limit(files) == expected)
    }

    @Test("Groups of cgroup v1 are read where their controller is mounted")
    func older() {
        let files = Self.machine.merging([
            "/proc/self/cgroup": "9:name=systemd:/a\n8:pids:/\n4:cpu,memory:/a/b\n0::/\n",
            "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": "9000\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
            "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "8000\n",
        ]) { $1 }
        #expect(limit(files) == 8000)
    }

    @Test("This machine has a limit")
    func here() throws {
        let limit = try #require(MemoryLimit.bytes())
        #expect(limit > 16 << 20)
    }
}
