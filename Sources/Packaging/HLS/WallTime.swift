// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// A point in calendar time, in microseconds since 1970-01-01 00:00 UTC.
package struct WallTime: Hashable, Comparable, Sendable {
    package var microseconds: Int64

    package init(microseconds: Int64) { self.microseconds = microseconds }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.microseconds < rhs.microseconds }
    package static func + (lhs: Self, rhs: MediaTime) -> Self {
        Self(microseconds: lhs.microseconds &+ rhs.microseconds)
    }
    package static func - (lhs: Self, rhs: Self) -> MediaTime {
        MediaTime(microseconds: lhs.microseconds &- rhs.microseconds)
    }

    /// As EXT-X-PROGRAM-DATE-TIME states it (RFC 8216 §4.3.2.6): with milliseconds, in UTC.
    var text: String { CivilTime(unixMicroseconds: microseconds).text }
}
