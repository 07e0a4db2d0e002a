// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The audio track that a selection resolves to. Pure.
package struct AudioChoice: Hashable, Sendable {
    /// A served track.
    package struct Candidate: Hashable, Sendable {
        /// The stream's index in the source.
        package var stream: Int
        /// As the source spells it.
        package var language: String
        package var dispositions: [String]

        package init(stream: Int, language: String, dispositions: [String]) {
            self.stream = stream
            self.language = language
            self.dispositions = dispositions
        }

        /// Whether the track is for listeners with an impairment, or is a commentary.
        var isSpecial: Bool {
            dispositions.contains { ["visual_impaired", "hearing_impaired", "comment", "descriptions"].contains($0) }
        }
    }

    /// The index among the candidates.
    package let place: Int
    /// Whether no candidate matched the selection.
    package let isFallback: Bool

    /// `nil` if there are no candidates.
    package init?(_ selection: AudioSelection, among candidates: [Candidate]) {
        guard !candidates.isEmpty else { return nil }
        let automatic = candidates.firstIndex { $0.dispositions.contains("default") } ?? 0
        let wanted: Int?
        switch selection {
        case .automatic: wanted = automatic
        case .stream(let index): wanted = candidates.firstIndex { $0.stream == index }
        case .languages(let languages):
            wanted = languages.lazy.compactMap { Self.best(for: $0, among: candidates) }.first
        }
        place = wanted ?? automatic
        isFallback = wanted == nil
    }

    /// The best match for a language: the nearest tag, then a track for everybody, then one marked as default, then the
    /// first.
    private static func best(for language: String, among candidates: [Candidate]) -> Int? {
        let ranked = candidates.indices.compactMap { place -> (key: [Int], place: Int)? in
            let candidate = candidates[place]
            guard let distance = distance(from: language, to: candidate.language) else { return nil }
            let isMarked = candidate.dispositions.contains("default")
            return ([distance, candidate.isSpecial ? 1 : 0, isMarked ? 0 : 1, place], place)
        }
        return ranked.min { $0.key.lexicographicallyPrecedes($1.key) }?.place
    }

    /// 0 for the same tag, 1 for the same language if either tag has no further subtags, 2 for different further
    /// subtags, 3 for a close relative. `nil` for different languages, and if either is unknown.
    static func distance(from wanted: String, to track: String) -> Int? {
        guard let wanted = LanguageCode.parts(of: wanted), let track = LanguageCode.parts(of: track) else { return nil }
        guard wanted.primary == track.primary else {
            let isNorwegian = [wanted.primary, track.primary].allSatisfy { ["nor", "nob", "nno"].contains($0) }
            return isNorwegian ? 3 : nil
        }
        if wanted.rest == track.rest { return 0 }
        return wanted.rest.isEmpty || track.rest.isEmpty ? 1 : 2
    }
}
