// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// The audio tracks of a source, and which one is the default. A plain value.
struct AudioTracks {
    private let candidates: [AudioChoice.Candidate]
    /// Indices into `OpenedSource.tracks`, parallel to `candidates`.
    private let places: [Int]
    private let isServed: [Bool]
    private var chosen: Int?

    init(_ source: OpenedSource) {
        let all = source.tracks.indices.filter { source.tracks[$0].kind == .audio }
        let served = all.filter { source.tracks[$0].isServed }
        places = served + all.filter { !source.tracks[$0].isServed }
        isServed = places.map { source.tracks[$0].isServed }
        candidates = places.map { place in
            let stream = source.media.streams[source.tracks[place].stream.index]
            return .init(stream: stream.index, language: stream.language, dispositions: stream.dispositions)
        }
    }

    /// Index of the chosen track in `OpenedSource.tracks`. `nil` before `select`, and when the source has no audio.
    var place: Int? { chosen.map { places[$0] } }

    /// As `place`, but also `nil` when the chosen track is not served because only the software path plays it.
    var servedPlace: Int? { chosen.flatMap { isServed[$0] ? places[$0] : nil } }

    /// The chosen track's stream index in the source.
    var stream: Int? { chosen.map { candidates[$0].stream } }

    /// Index in `OpenedSource.tracks` of the audio track with stream index `index`. `nil` when no such track is served.
    func place(ofStream index: Int) -> Int? {
        candidates.indices.first { candidates[$0].stream == index && isServed[$0] }.map { places[$0] }
    }

    /// - Returns: a warning when no track matches `selection` and the default track is used instead.
    mutating func select(_ selection: AudioSelection) -> Notice? {
        // Tracks that only the software path plays are chosen only by stream index, or when no track is served.
        let count = isServed.contains(true) ? isServed.count(where: \.self) : candidates.count
        var pool = candidates[..<count]
        if case .stream = selection { pool = candidates[...] }
        guard let choice = AudioChoice(selection, among: Array(pool)) else { return nil }
        chosen = choice.place
        guard choice.isFallback else { return nil }
        let wanted =
            switch selection {
            case .automatic: "any"
            case .stream(let index): "stream \(index)"
            case .languages(let languages): languages.joined(separator: ", ")
            }
        let text = "no audio track matches \(wanted); stream \(candidates[choice.place].stream) is the default"
        return Notice(.warning, "audio.selection_unavailable", text)
    }
}
