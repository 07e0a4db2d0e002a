// SPDX-License-Identifier: Apache-2.0

package import EngineModel
package import Packaging

/// The description of a track in a playlist.
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
        /// WebVTT, or the text tracks of fragmented MP4.
        case text
    }

    package let kind: Kind
    package internal(set) var list: SegmentList
    /// The latest load of the playlist, if it may grow.
    package internal(set) var playlist: HLSMediaPlaylist?
    /// The description of its audio or text. `nil` if the playlist has none.
    package let rendition: ListRendition?
    /// Whether the playlist promises that every segment begins with a keyframe.
    package let isIndependent: Bool

    package init(
        _ list: SegmentList,
        _ rendition: ListRendition? = nil,
        kind: Kind = .media,
        isIndependent: Bool = false,
        playlist: HLSMediaPlaylist? = nil
    ) {
        self.kind = kind
        self.list = list
        self.rendition = rendition
        self.isIndependent = isIndependent
        self.playlist = playlist
    }
}

extension [ListPart] {
    /// The oldest segment of the leading list that the server still lists, together with the media of the other lists
    /// from its start on. These are loaded one after the other, so their windows differ.
    var oldest: Int {
        let lead = self[0].list
        return dropFirst().reduce(lead.oldest) { oldest, part in
            guard part.kind == .media, part.list.oldest > 0, !lead.segments.isEmpty else { return oldest }
            let window = part.list.segments.dropFirst(part.list.oldest)
            let start = window.first?.start ?? part.list.duration
            let index = lead.segment(at: start)
            // Segments of two lists that belong together do not begin at exactly the same time.
            let isIncluded = start - lead.segments[index].start < lead.segments[index].end - start
            return Swift.max(oldest, isIncluded ? index : index + 1)
        }
    }
}

/// The way in which a list is loaded again.
///
/// A variant is named by `SourceVariant.index`; `nil` stands for the one with which the list was opened.
package enum ListLoad: Hashable, Sendable {
    /// Loads only the media playlists of a growing list, which may have changed. The leading one is that of the
    /// variant; the directives are for its request.
    case later(HLSDirectives, variant: Int?)
    /// Loads everything, because URLs may have been signed again.
    case afresh(variant: Int?)
}

/// The result of one load of a list. The digest ignores the parts of URLs that change when they are signed again.
package struct ListContent: Sendable {
    package let parts: [ListPart]
    package let digest: String
    /// The reason why the playlist of a part other than the leading one could not be loaded. `parts` contains that part
    /// without its playlist.
    package let failure: EngineError?

    /// - Parameter parts: the leading part first; each has at least one segment.
    package init(parts: [ListPart], digest: String, failure: EngineError? = nil) {
        self.parts = parts
        self.digest = digest
        self.failure = failure
    }

    /// The leading playlist, if segments may follow those that it lists.
    var growing: HLSMediaPlaylist? { parts.first?.playlist.flatMap { $0.isLive ? $0 : nil } }
}
