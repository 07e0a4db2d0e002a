// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// The audio tracks of a source, and which of them is the default one. Values only.
struct AudioTracks {
    private let candidates: [AudioChoice.Candidate]
    /// Positions in `OpenedSource.tracks`, a candidate each.
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

    /// Position in `OpenedSource.tracks`. `nil` when there is no sound.
    var place: Int? { chosen.map { places[$0] } }

    /// The same for what is served. `nil` also when only the software path plays it.
    var servedPlace: Int? { chosen.flatMap { isServed[$0] ? places[$0] : nil } }

    /// Stream index in the source.
    var stream: Int? { chosen.map { candidates[$0].stream } }

    /// Position in `OpenedSource.tracks` of the audio track that is stream `index` of the source, and served.
    func place(ofStream index: Int) -> Int? {
        candidates.indices.first { candidates[$0].stream == index && isServed[$0] }.map { places[$0] }
    }

    /// - Returns: what there is to say when nothing fits.
    mutating func select(_ selection: AudioSelection) -> Notice? {
        // By itself, nothing is chosen that only the software path plays.
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
        let text = "no audio track fits \(wanted); stream \(candidates[choice.place].stream) is the default one"
        return Notice(.warning, "audio.selection_unavailable", text)
    }
}
