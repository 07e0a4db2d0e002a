// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging
internal import Subtitles

/// The subtitle tracks of a session, which of them are shown, and what is on screen. Plain values, except for the
/// decoder.
struct SessionSubtitles {
    let decoder: SubtitleDecoder
    private(set) var tracks: [SubtitleTrack]
    /// Track ids, in the order in which they were requested.
    private(set) var selected: [Int] = []
    var screen = CueScreen()
    /// The playhead's segment, as last passed to the decoder.
    var segment: Int?
    /// Reads the decoder's windows.
    var windows: Task<Void, Never>?

    init(_ decoder: SubtitleDecoder, tracks: [SubtitleTrack]) {
        self.decoder = decoder
        self.tracks = tracks
    }

    /// Adds tracks that the source does not announce: those of subtitle files, and those that a client named. Known ids
    /// are skipped.
    mutating func add(_ more: [SubtitleTrack]) {
        let new = more.filter { track in !tracks.contains { $0.id == track.id } }
        tracks = (tracks + new).sorted { $0.id < $1.id }
    }

    mutating func remove(_ ids: Set<Int>) {
        tracks.removeAll { ids.contains($0.id) }
        selected.removeAll { ids.contains($0) }
    }

    /// - Returns: a warning when not everything that was requested is available.
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

    /// The tracks that a cue request refers to. More than one only if the request leaves the choice to the selection.
    func tracks(_ choice: SubtitleChoice) -> [SubtitleTrack] {
        if choice == .automatic, !selected.isEmpty { return tracks.filter { selected.contains($0.id) } }
        return SubtitleChooser(tracks).track(choice).map { [$0] } ?? []
    }
}
