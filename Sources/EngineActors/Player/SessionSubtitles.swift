// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging

/// The subtitle tracks of a session, which of them are shown, and what is on the screen. Values, and who makes the cues.
struct SessionSubtitles {
    let decoder: SubtitleDecoder
    private(set) var tracks: [SubtitleTrack]
    /// Ids, in the order in which they were wanted.
    private(set) var selected: [Int] = []
    var screen = CueScreen()
    /// The segment that the decoder was last told the playhead is in.
    var segment: Int?
    /// What is fed by the decoder.
    var windows: Task<Void, Never>?
    /// Whether watchers have been told that reading cues fails.
    var isTroubled = false
    /// Whether they have been told that there are more cues than are kept.
    var isOverfull = false

    init(_ decoder: SubtitleDecoder, tracks: [SubtitleTrack]) {
        self.decoder = decoder
        self.tracks = tracks
    }

    /// Files beside the source have tracks, too, and so has what was named though the source does not announce it.
    mutating func add(_ more: [SubtitleTrack]) {
        let new = more.filter { track in !tracks.contains { $0.id == track.id } }
        tracks = (tracks + new).sorted { $0.id < $1.id }
    }

    mutating func remove(_ ids: Set<Int>) {
        tracks.removeAll { ids.contains($0.id) }
        selected.removeAll { ids.contains($0) }
    }

    /// - Returns: what there is to say when something that was named is not there.
    mutating func select(_ selection: SubtitleSelection) -> Notice? {
        let choice = SubtitleChooser(tracks).ids(selection)
        selected = choice.ids
        guard choice.isIncomplete else { return nil }
        let wanted =
            switch selection {
            case .automatic, .none: "any"
            case .tracks(let ids): ids.map { "\($0)" }.joined(separator: ", ")
            case .languages(let languages): languages.joined(separator: ", ")
            }
        let shown = selected.isEmpty ? "none is shown" : "shown: \(selected.map { "\($0)" }.joined(separator: ", "))"
        return Notice(.warning, "subtitles.selection_unavailable", "not every subtitle track fits \(wanted); \(shown)")
    }

    /// The tracks that a request for cues means. Several only where the request leaves it to what is shown.
    func tracks(_ choice: SubtitleChoice) -> [SubtitleTrack] {
        if choice == .automatic, !selected.isEmpty { return tracks.filter { selected.contains($0.id) } }
        return SubtitleChooser(tracks).track(choice).map { [$0] } ?? []
    }
}
