// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// EXT-X-DATERANGE (RFC 8216 §4.3.2.7; for interstitials, RFC 8216bis Appendix D).
package struct HLSDateRange: Hashable, Sendable {
    package var id: String
    package var className: String?
    /// `nil` in a tag that only completes an earlier tag with the same ID.
    package var start: WallTime?
    package var end: WallTime?
    package var duration: MediaTime?
    package var plannedDuration: MediaTime?
    package var endsOnNext: Bool
    /// The words of CUE: `PRE`, `POST`, `ONCE`.
    package var cue: [String]
    /// `splice_info_section()` of SCTE 35.
    package var scte35Command: [UInt8]?
    package var scte35Out: [UInt8]?
    package var scte35In: [UInt8]?
    /// `nil` if the range is not an interstitial.
    package var interstitial: HLSInterstitial?
    /// The values, without quotes, of all attributes whose names begin with `X-`, including those of the interstitial.
    package var others: [String: String]

    package static let interstitialClass = "com.apple.hls.interstitial"
}

/// Media to play at a date, during which the primary media is interrupted. Players fetch it themselves.
package struct HLSInterstitial: Hashable, Sendable {
    package enum Asset: Hashable, Sendable {
        /// X-ASSET-URI: a playlist.
        case playlist(String)
        /// X-ASSET-LIST: JSON with the URIs of playlists.
        case list(String)
    }

    package var asset: Asset
    /// The position where the primary media resumes, relative to the start of the interstitial. `nil`: after the
    /// interstitial's duration.
    package var resumeOffset: MediaTime?
    package var playoutLimit: MediaTime?
    /// The words of X-RESTRICT: `SKIP`, `JUMP`.
    package var restrictions: [String]
}

/// A mark of an ad break, in one of the dialects that packagers write in addition to EXT-X-DATERANGE.
package struct HLSAdMark: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// EXT-X-CUE-OUT: a break begins. The duration is `nil` if not stated.
        case breakStart(duration: MediaTime?)
        /// EXT-X-CUE-OUT-CONT: inside a break.
        case breakContinues(elapsed: MediaTime?, duration: MediaTime?)
        /// EXT-X-CUE-IN: the break ends.
        case breakEnd
        /// EXT-OATCLS-SCTE35, EXT-X-SCTE35 or EXT-X-SPLICEPOINT-SCTE35: an SCTE 35 message.
        case scte35
        /// EXT-X-ASSET: describes the asset being played.
        case asset
    }

    package var kind: Kind
    /// The name of the tag.
    package var tag: String
    /// The SCTE 35 message, as a `splice_info_section()`. `nil` if the mark carries none, or an unreadable one.
    package var message: [UInt8]?
    /// The tag's value as written.
    package var value: String
}
