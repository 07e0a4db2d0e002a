// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
package import Packaging

/// What a playlist says about a track.
package struct ListRendition: Hashable, Sendable {
    package var name: String
    package var language: String
    /// As libavformat names them.
    package var dispositions: [String]

    package init(name: String, language: String, dispositions: [String]) {
        self.name = name
        self.language = language
        self.dispositions = dispositions
    }
}

/// One list of a source.
package struct ListPart: Sendable {
    package enum Kind: Hashable, Sendable {
        case media
        /// WebVTT.
        case text
    }

    package let kind: Kind
    package let list: SegmentList
    /// Of its audio or text; `nil` if nothing is said of it.
    package let rendition: ListRendition?
    /// Whether the playlist promises that every segment begins with a keyframe.
    package let isIndependent: Bool

    package init(
        _ list: SegmentList,
        _ rendition: ListRendition? = nil,
        kind: Kind = .media,
        isIndependent: Bool = false
    ) {
        self.kind = kind
        self.list = list
        self.rendition = rendition
        self.isIndependent = isIndependent
    }
}

/// What one load of a list says, and a digest of it without what changes when URLs are signed again.
package struct ListContent: Sendable {
    package let parts: [ListPart]
    package let digest: String
    /// The playlist, if segments may follow those that it lists.
    package let growing: HLSMediaPlaylist?

    /// - Parameter parts: the leading one first, none of them empty.
    package init(parts: [ListPart], digest: String, growing: HLSMediaPlaylist? = nil) {
        self.parts = parts
        self.digest = digest
        self.growing = growing
    }
}
