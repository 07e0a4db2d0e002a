// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// What is requested from a server, as reported to it (CTA-5004: the keys `ot`, `d` and `sf`).
package struct RequestedObject: Hashable, Sendable {
    /// Values of the key `ot`.
    package enum Kind: String, Hashable, Sendable {
        case playlist = "m"
        case initSegment = "i"
        case key = "k"
        case audio = "a"
        case video = "v"
        /// Both, or unknown which.
        case media = "av"
        case text = "c"

        /// Whether it holds audio or video, for which alone bit rates and buffers are reported.
        package var isPlayed: Bool { [.audio, .video, .media].contains(self) }
    }

    package var kind: Kind
    /// How long it plays. `nil` if it does not play, or if the duration is not known.
    package var duration: MediaTime?
    /// Whether it belongs to an HLS presentation.
    package var isListed: Bool

    package init(_ kind: Kind, lasting duration: MediaTime? = nil, isListed: Bool = true) {
        self.kind = kind
        self.duration = duration
        self.isListed = isListed
    }

    /// A source that is being opened: what it is shows only in its first bytes, so its name decides.
    ///
    /// - Parameter path: the path of its URL.
    package init(ofSource path: some StringProtocol) {
        let isPlaylist = path.lowercased().hasSuffix(".m3u8")
        self.init(isPlaylist ? .playlist : .media, isListed: isPlaylist)
    }
}
