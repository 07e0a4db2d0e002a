// SPDX-License-Identifier: Apache-2.0

/// The delivery directives of a request for a media playlist (draft-pantos-hls-rfc8216bis §6.2.5): `_HLS_msn` and
/// `_HLS_part` name the version that it waits for, and `_HLS_skip` asks for a delta update. All others are ignored, as
/// are these where segments have no parts.
package struct PlaylistReload: Hashable, Sendable {
    package var segment: Int?
    package var part: Int?
    /// Whether older segments may be left out. Only the value `YES` counts: `v2` is for servers that skip date ranges.
    package var skipsOlder = false

    package init() {}

    /// A value that is not a number becomes -1, for which no request waits.
    package init(_ query: String) {
        for field in query.split(separator: "&") {
            let pair = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if field == "_HLS_skip=YES" { skipsOlder = true }
            guard pair[0] == "_HLS_msn" || pair[0] == "_HLS_part" else { continue }
            let number = pair.count == 2 ? MediaRoute.index(pair[1]) ?? -1 : -1
            if pair[0] == "_HLS_msn" { segment = number } else { part = number }
        }
    }
}
