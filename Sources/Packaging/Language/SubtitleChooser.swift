// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The subtitle tracks that a selection resolves to. Pure.
package struct SubtitleChooser: Hashable, Sendable {
    private let tracks: [SubtitleTrack]

    package init(_ tracks: [SubtitleTrack]) { self.tracks = tracks }

    /// The selected ids in order, without duplicates, and whether the selection names something that does not exist.
    package func ids(_ selection: SubtitleSelection) -> (ids: [Int], isIncomplete: Bool) {
        switch selection {
        case .none: return ([], false)
        case .automatic: return (marked.map { [$0.id] } ?? [], false)
        case .tracks(let wanted):
            var ids: [Int] = []
            for id in wanted where tracks.contains(where: { $0.id == id }) && !ids.contains(id) { ids.append(id) }
            return (ids, !Set(wanted).isSubset(of: ids))
        case .languages(let languages):
            let found = languages.lazy.compactMap { best(for: $0) }.first
            return (found.map { [$0.id] } ?? [], found == nil)
        }
    }

    /// `nil` if there is no matching track.
    package func track(_ choice: SubtitleChoice) -> SubtitleTrack? {
        switch choice {
        case .automatic: marked ?? tracks.first
        case .id(let id): tracks.first { $0.id == id }
        case .number(let number): tracks.indices.contains(number) ? tracks[number] : nil
        case .language(let language): best(for: language)
        }
    }

    private var marked: SubtitleTrack? {
        tracks.first { $0.has(disposition: "default") } ?? tracks.first { $0.has(disposition: "forced") }
    }

    /// Ranked by the nearest tag, then completeness, then text before images, then the default mark, then order.
    private func best(for language: String) -> SubtitleTrack? {
        let ranked = tracks.indices.compactMap { place -> (key: [Int], track: SubtitleTrack)? in
            let track = tracks[place]
            guard let distance = AudioChoice.distance(from: language, to: track.language) else { return nil }
            let isMarked = track.has(disposition: "default")
            return ([distance, Self.rank(track), track.isText ? 0 : 1, isMarked ? 0 : 1, place], track)
        }
        return ranked.min { $0.key.lexicographicallyPrecedes($1.key) }?.track
    }

    /// 0 full dialogue, 1 dialogue and sounds, 2 forced (foreign dialogue only), 3 commentary.
    private static func rank(_ track: SubtitleTrack) -> Int {
        if track.has(disposition: "comment") { return 3 }
        if track.has(disposition: "forced") { return 2 }
        return track.has(disposition: "hearing_impaired") || track.has(disposition: "captions") ? 1 : 0
    }
}
