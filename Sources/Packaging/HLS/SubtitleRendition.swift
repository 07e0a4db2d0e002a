// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// One subtitle track as a WebVTT rendition (RFC 8216 §4.3.4.1).
package struct SubtitleRendition: Hashable, Sendable {
    /// The only group: every variant has the same subtitles.
    static let group = "subtitles"

    package var track: SubtitleTrack
    package var uri: String
    /// Whether the subtitles are shown by default. Only the first default in a list counts.
    package var isDefault: Bool

    package init(track: SubtitleTrack, uri: String, isDefault: Bool) {
        self.track = track
        self.uri = uri
        self.isDefault = isDefault
    }

    private var isForced: Bool { track.has(disposition: "forced") }

    /// The properties by which a player distinguishes renditions in automatic selection.
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
            // Commentary is selected only on request. Among renditions with the same traits, only the first may be
            // selected automatically.
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
