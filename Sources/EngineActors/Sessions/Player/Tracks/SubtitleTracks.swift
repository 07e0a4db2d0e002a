// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging
internal import Subtitles

/// The subtitle tracks of a session, and which of them are requested and shown. Pure.
struct SubtitleTracks {
    /// The requested tracks: from the load request, or from a later command.
    private(set) var wanted: SubtitleSelection
    /// Whether a client has selected tracks since the load.
    private(set) var isSelectionMade = false
    private(set) var all: [SubtitleTrack] = []
    /// Track ids, in the order in which they were requested.
    private(set) var selected: [Int] = []
    private var isOpen = false

    init(_ wanted: SubtitleSelection) { self.wanted = wanted }

    /// The source is open.
    ///
    /// - Returns: as `select`, for a selection that was made before.
    mutating func open(_ description: MediaDescription) -> Notice? {
        isOpen = true
        all = description.subtitleTracks
        addUnlisted(wanted, of: description)
        return isSelectionMade ? show(wanted) : nil
    }

    /// Adds tracks that the source does not announce: tracks of subtitle files, captions that were found later, and
    /// tracks that a client named. Known ids are skipped.
    mutating func add(_ more: [SubtitleTrack]) {
        let new = more.filter { track in !all.contains { $0.id == track.id } }
        all = (all + new).sorted { $0.id < $1.id }
    }

    /// - Returns: whether one of the tracks was shown.
    mutating func remove(_ ids: Range<Int>) -> Bool {
        let wasShown = selected.contains(where: ids.contains)
        all.removeAll { ids.contains($0.id) }
        selected.removeAll { ids.contains($0) }
        return wasShown
    }

    private mutating func addUnlisted(_ selection: SubtitleSelection, of description: MediaDescription) {
        guard case .tracks(let ids) = selection else { return }
        add(ids.compactMap { description.unlistedTrack($0) })
    }

    /// The tracks that are shown.
    var shown: [SubtitleTrack] { all.filter { selected.contains($0.id) } }

    /// The tracks that are served as WebVTT.
    var text: [SubtitleTrack] { all.filter(\.isText) }

    /// The track that players show by default: the first selected one that is served as WebVTT.
    var defaultText: Int? { selected.first { isServed($0) } }

    /// Whether a track is served as WebVTT.
    func isServed(_ track: Int) -> Bool { all.contains { $0.id == track && $0.isText } }

    /// The selection to restore in the next process.
    ///
    /// - Parameter isWaiting: whether subtitle files are still being read.
    func recorded(isWaiting: Bool) -> SubtitleSelection {
        guard isOpen, isSelectionMade || !isWaiting else { return wanted }
        return selected.isEmpty ? .none : .tracks(selected)
    }

    // MARK: Selecting

    /// A client selects tracks. Until the source is open, the selection is only kept.
    ///
    /// - Parameter description: `nil` until the source is open.
    /// - Returns: a warning when not everything that was requested is available.
    mutating func select(_ selection: SubtitleSelection, of description: MediaDescription?) -> Notice? {
        isSelectionMade = true
        wanted = selection
        guard isOpen else { return nil }
        if let description { addUnlisted(selection, of: description) }
        return show(selection)
    }

    /// Shows those of the requested tracks that are known by now, and the tracks of the files that ask to be shown,
    /// which replace an automatic selection.
    ///
    /// - Parameter files: the tracks of the files that ask to be shown; `nil` if an earlier process has decided.
    /// - Returns: a warning when not everything that was requested is available.
    mutating func selectAtStart(_ files: [Int]?) -> Notice? {
        let notice = show(wanted)
        guard !isSelectionMade, let files, !files.isEmpty else { return notice }
        let chosen = wanted == .automatic ? [] : selected
        return show(.tracks(Array((chosen + files).prefix(SubtitleSelection.limit)))) ?? notice
    }

    private mutating func show(_ selection: SubtitleSelection) -> Notice? {
        let choice = SubtitleChooser(all).ids(selection)
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
        if choice == .automatic, !selected.isEmpty { return shown }
        return SubtitleChooser(all).track(choice).map { [$0] } ?? []
    }
}
