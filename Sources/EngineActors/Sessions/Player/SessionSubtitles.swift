// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging
internal import Subtitles

/// The subtitles of a session: its tracks and files, which tracks are requested and shown, and what is on screen. Plain
/// values, except for the decoders.
struct SessionSubtitles {
    /// What follows from a move of the playhead.
    struct Move {
        /// The cues to publish; `nil` when they have not changed.
        let cues: ScreenCues?
        /// Whether the decoder must jump, rather than go on to the next segment; `nil` when it need not move.
        let isJump: Bool?
    }

    /// `nil` until the source is open.
    private(set) var decoder: SubtitleDecoder?
    /// The subtitle files.
    var sidecars: SidecarShelf
    /// The requested tracks: from the load request, or from a later command.
    private(set) var wanted: SubtitleSelection
    /// Whether a client has selected tracks since the load.
    private(set) var isSelectionMade = false
    private(set) var tracks: [SubtitleTrack] = []
    /// Track ids, in the order in which they were requested.
    private(set) var selected: [Int] = []
    private var screen = CueScreen()
    /// The playhead's segment, as last passed to the decoder.
    private var segment: Int?
    /// Reads the decoder's windows.
    private var windows: Task<Void, Never>?

    /// - Parameter files: the files to be read.
    init(_ wanted: SubtitleSelection, files: [SidecarRecord]) {
        self.wanted = wanted
        sidecars = SidecarShelf(files)
    }

    /// The source is open.
    ///
    /// - Parameter windows: reads the decoder's windows. It is cancelled when the session ends.
    mutating func open(_ description: MediaDescription, _ decoder: SubtitleDecoder, windows: Task<Void, Never>) {
        self.decoder = decoder
        self.windows = windows
        tracks = description.subtitleTracks
        addUnlisted(wanted, of: description)
    }

    /// The selection to restore in the next process.
    var recorded: SubtitleSelection {
        guard decoder != nil, isSelectionMade || !sidecars.isWaiting else { return wanted }
        return selected.isEmpty ? .none : .tracks(selected)
    }

    func interrupt() {
        decoder?.interrupt()
        sidecars.interrupt()
    }

    func cancel() {
        windows?.cancel()
        sidecars.interrupt()
    }

    // MARK: Tracks

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

    private mutating func addUnlisted(_ selection: SubtitleSelection, of description: MediaDescription) {
        guard case .tracks(let ids) = selection else { return }
        add(ids.compactMap { description.unlistedTrack($0) })
    }

    /// The tracks that are shown.
    var shown: [SubtitleTrack] { tracks.filter { selected.contains($0.id) } }

    /// The tracks that are served as WebVTT.
    var textTracks: [SubtitleTrack] { tracks.filter(\.isText) }

    /// The first selected track that is served as WebVTT, so that a player can show it on its own.
    var defaultTextTrack: Int? { selected.first { isServed($0) } }

    /// Whether a track is served as WebVTT.
    func isServed(_ track: Int) -> Bool { tracks.contains { $0.id == track && $0.isText } }

    // MARK: Selecting

    /// A client selects tracks. Until the source is open, only the wish is kept.
    ///
    /// - Parameter description: `nil` until the source is open.
    /// - Returns: a warning when not everything that was requested is available.
    mutating func select(_ selection: SubtitleSelection, of description: MediaDescription?) -> Notice? {
        isSelectionMade = true
        wanted = selection
        guard decoder != nil else { return nil }
        if let description { addUnlisted(selection, of: description) }
        return show(selection)
    }

    /// Shows the requested tracks among those known by now, and the files that ask to be shown.
    ///
    /// - Parameter isRestored: whether an earlier process has decided which files are shown.
    /// - Returns: a warning when not everything that was requested is available, once all files have been read.
    mutating func selectAtStart(isRestored: Bool) -> Notice? {
        var notice = show(wanted)
        if !isRestored, !isSelectionMade {
            let files = sidecars.shownTracks
            if !files.isEmpty {
                let chosen = wanted == .automatic ? [] : selected
                notice = show(.tracks(Array((chosen + files).prefix(SubtitleSelection.limit)))) ?? notice
            }
        }
        return sidecars.isWaiting ? nil : notice
    }

    private mutating func show(_ selection: SubtitleSelection) -> Notice? {
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
        let text = "some requested subtitle tracks (\(wanted)) do not exist; \(shown)"
        return Notice(.warning, "subtitles.selection_unavailable", text)
    }

    /// The tracks that a cue request refers to. More than one only if the request leaves the choice to the selection.
    func tracks(_ choice: SubtitleChoice) -> [SubtitleTrack] {
        if choice == .automatic, !selected.isEmpty { return tracks.filter { selected.contains($0.id) } }
        return SubtitleChooser(tracks).track(choice).map { [$0] } ?? []
    }

    // MARK: The screen

    /// Replaces the known cues around the playhead. The screen changes with the next `move`.
    mutating func replace(_ cues: [Cue]) { screen.replace(cues) }

    /// Moves the playhead to `place`, which is in `segment`.
    mutating func move(to place: MediaTime, segment: Int) -> Move {
        guard decoder != nil else { return Move(cues: nil, isJump: nil) }
        let cues = screen.move(to: place)
        guard segment != self.segment else { return Move(cues: cues, isJump: nil) }
        defer { self.segment = segment }
        return Move(cues: cues, isJump: self.segment.map { segment != $0 + 1 } ?? true)
    }

    /// When the next cue appears or disappears if the playhead keeps moving. `nil` when none will.
    var nextMoment: MediaTime? { screen.nextMoment }
}
