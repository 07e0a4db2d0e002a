// SPDX-License-Identifier: Apache-2.0

/// The delivery directives of a request for a media playlist (draft-pantos-hls-rfc8216bis §6.2.5): `_HLS_msn` and
/// `_HLS_part` name the version that the request waits for, and `_HLS_skip` asks for a delta update. All other
/// directives are ignored. So are these if segments have no parts, or the rendition is delayed.
package struct PlaylistReload: Hashable, Sendable {
    package var segment: Int?
    package var part: Int?
    /// Whether older segments may be left out. Only the value `YES` counts: clients send `v2` only to servers that can
    /// leave out date ranges too.
    package var skipsOlder = false

    package init() {}

    /// A value that is not a plain number becomes -1, and the request is refused.
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
