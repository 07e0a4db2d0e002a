// SPDX-License-Identifier: Apache-2.0

package import NIOCore

extension TimeAmount {
    /// Durations beyond 292 years become 292 years.
    package init(clamping duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000)
        self = .nanoseconds(Int64(clamping: nanoseconds))
    }
}
