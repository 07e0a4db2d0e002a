// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A point at which a test can make the process crash: `ENGINED_TEST_CRASH=opening:NAME`, `reading:NAME` or
/// `serving:NAME`, where `NAME` is the file name of the source.
///
/// Only in builds with assertions (debug and checked). A release build does not evaluate assertions, so it has no fault
/// points.
package enum FaultPoint: String, Sendable {
    case opening, reading, serving

    /// Crashes the process if the variable names this point and `source`.
    package func reach(_ source: @autoclosure () -> String) { assert(passes(source())) }

    private func passes(_ source: String) -> Bool {
        guard let wanted = unsafe getenv("ENGINED_TEST_CRASH") else { return true }
        let name = source.split(separator: "/").last.map(String.init) ?? source
        if unsafe String(cString: wanted) == "\(rawValue):\(name)" { raise(SIGSEGV) }
        return true
    }
}
