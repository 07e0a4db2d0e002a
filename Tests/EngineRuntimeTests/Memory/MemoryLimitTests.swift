// SPDX-License-Identifier: Apache-2.0

@testable import EngineRuntime
import Testing

@Suite("The memory limit of the process")
struct MemoryLimitTests {
    private func limit(_ files: [String: String]) -> Int { MemoryLimit.bytes(machine: 1_024_000) { files[$0] } }

    @Test("Without control groups the limit is the machine's memory")
    func machine() {
        #expect(limit([:]) == 1_024_000)
        #expect(limit(["/proc/self/cgroup": "nonsense\n::\n0::x\n"]) == 1_024_000)
    }

    @Test(
        "The smallest limit of the group and its parents applies",
        arguments: [
            ("max", "max", 1_024_000), ("5000", "max", 5000), ("5000", "4000", 4000), ("0", "-1", 1_024_000),
            ("9223372036854771712", "max", 1_024_000), ("", "max", 1_024_000),
        ]
    )
    func groups(_ inner: String, _ outer: String, _ expected: Int) {
        let files = [
            "/proc/self/cgroup": "0::/user.slice/engined.service\n",
            "/sys/fs/cgroup/user.slice/engined.service/memory.max": inner + "\n",
            "/sys/fs/cgroup/user.slice/memory.max": outer + "\n",
        ]
        #expect(limit(files) == expected)
    }

    @Test("Groups of cgroup v1 are read where their controller is mounted")
    func older() {
        let files = [
            "/proc/self/cgroup": "9:name=systemd:/a\n8:pids:/\n4:cpu,memory:/a/b\n0::/\n",
            "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": "9000\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
            "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "8000\n",
        ]
        #expect(limit(files) == 8000)
    }

    @Test("This machine has a limit")
    func here() {
        #expect((16 << 20)..<(1 << 50) ~= MemoryLimit.bytes())
    }
}
