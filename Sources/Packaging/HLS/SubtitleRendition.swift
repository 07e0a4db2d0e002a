// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// One subtitle track as a rendition of WebVTT (RFC 8216 §4.3.4.1).
package struct SubtitleRendition: Hashable, Sendable {
    /// There is one group: every variant has the same subtitles.
    static let group = "subtitles"

    package var track: SubtitleTrack
    package var uri: String
    /// Whether it is shown unless the user says otherwise. Only the first of a list that says so is.
    package var isDefault: Bool

    package init(track: SubtitleTrack, uri: String, isDefault: Bool) {
        self.track = track
        self.uri = uri
        self.isDefault = isDefault
    }

    private var isForced: Bool { track.has(disposition: "forced") }

    /// What a player tells renditions apart by when it chooses by itself.
    private struct Traits: Hashable {
        let language: String?
        let isForced: Bool
        let characteristics: [String]
    }

    private var traits: Traits {
        Traits(
            language: LanguageCode.tag(track.language),
            isForced: isForced,
            characteristics: Characteristics.ofSubtitles(track.dispositions)
        )
    }

    /// The EXT-X-MEDIA lines of a group. The default comes first, as with audio.
    static func lines(_ renditions: [SubtitleRendition]) -> [String] {
        let first = renditions.firstIndex(where: \.isDefault)
        let order = (first.map { [$0] } ?? []) + renditions.indices.filter { $0 != first }
        var names = UniqueNames()
        var chosen: Set<Traits> = []
        return order.map { index in
            let rendition = renditions[index]
            let name = names.take(
                rendition.track.title,
                language: rendition.track.language,
                otherwise: "Subtitles \(index + 1)"
            )
            // Comments are for those who ask for them. Of several that a player cannot tell apart it may choose one.
            let mayBeChosen = !rendition.track.has(disposition: "comment") || index == first
            let isChosen = mayBeChosen && chosen.insert(rendition.traits).inserted
            return rendition.line(name: name, isDefault: index == first, isAutomatic: isChosen || index == first)
        }
    }

    private func line(name: String, isDefault: Bool, isAutomatic: Bool) -> String {
        let traits = traits
        var attributes = ["TYPE=SUBTITLES", "GROUP-ID=\"\(Self.group)\"", "NAME=\"\(name)\""]
        if let language = traits.language { attributes.append("LANGUAGE=\"\(language)\"") }
        attributes.append(isDefault ? "DEFAULT=YES" : "DEFAULT=NO")
        attributes.append(isAutomatic ? "AUTOSELECT=YES" : "AUTOSELECT=NO")
        attributes.append(traits.isForced ? "FORCED=YES" : "FORCED=NO")
        if !traits.characteristics.isEmpty {
            attributes.append("CHARACTERISTICS=\"\(traits.characteristics.joined(separator: ","))\"")
        }
        attributes.append("URI=\"\(AttributeText.quotable(uri))\"")
        return "#EXT-X-MEDIA:" + attributes.joined(separator: ",")
    }
}
