// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Where tests have the process crash on a source of their choice: `ENGINED_TEST_CRASH=opening:NAME` or `reading:NAME`,
/// with the name of the file.
///
/// Only in builds with assertions (debug and checked). A release build evaluates no assertion, so it has no such point.
package enum FaultPoint: String, Sendable {
    case opening, reading

    /// The process crashes here if a test wants it.
    package func reach(_ source: @autoclosure () -> String) { assert(passes(source())) }

    private func passes(_ source: String) -> Bool {
        guard let wanted = unsafe getenv("ENGINED_TEST_CRASH") else { return true }
        let name = source.split(separator: "/").last.map(String.init) ?? source
        if unsafe String(cString: wanted) == "\(rawValue):\(name)" { raise(SIGSEGV) }
        return true
    }
}
