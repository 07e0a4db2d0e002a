// SPDX-License-Identifier: Apache-2.0

internal import EngineClient
internal import EngineModel

/// A load whose title, tracks and subtitle files must exist. The engine itself ignores the title of a source that is
/// not a disc, falls back to other tracks and leaves files out, with a notice.
struct CheckedLoad {
    let client: EngineClient
    /// Whether the loudness of the track is measured first. Progress is shown on stderr.
    let measures: Bool

    /// - Throws: if a title or a track does not exist, or a subtitle file cannot be read. A new session is then ended;
    ///   an existing session, whose source the load has replaced, stays.
    func load(_ request: LoadRequest) async throws -> SessionState {
        if measures { try await measure(request) }
        var first = request
        first.sidecars.removeAll(where: \.isServed)
        let state = try await client.load(first)
        do {
            if request.options.title != nil, let media = state.media { try TitlesText(media: media).requireDisc() }
            if request.options.audio != .automatic { try TracksText(state: state).require(request.options.audio) }
            let complete = try await adding(request.sidecars, to: state, selected: request.options.subtitles)
            try SubtitlesText(state: complete).require(request.options.subtitles)
            return complete
        } catch {
            if request.session == nil { await client.endSession(state.id) }
            throw error
        }
    }

    /// Adds the files on servers, because a load does not wait for them, and the files that the load has left out:
    /// adding those fails, with the reason. Then selects what a load with all files would have selected.
    ///
    /// - Parameters:
    ///   - files: those of the load. All are shown.
    ///   - selected: the selection of the load.
    private func adding(
        _ files: [Sidecar],
        to state: SessionState,
        selected: SubtitleSelection
    ) async throws(EngineClientError) -> SessionState {
        let missing = files.filter { $0.isServed || !state.hasTracks(of: $0) }
        guard !missing.isEmpty else { return state }
        // The files take the place of the tracks that the source marks.
        let isReplaced = selected == .automatic && missing.count == files.count
        var shown = isReplaced ? [] : state.selectedSubtitles
        // If a load is repeated by its request id, its answer has the same revision, and nothing is added twice.
        func perform(_ name: String, _ command: TrackCommand) async throws(EngineClientError) -> CommandResult {
            let id = "enginectl load \(state.revision) \(name)"
            return try await client.perform(
                CommandRequest(session: state.id, requestID: id, command: .tracks(command))
            )
        }
        for (index, file) in missing.enumerated() {
            shown += try await perform("\(index)", .addSubtitles(file)).addedSubtitles
        }
        let selection = SubtitleSelection.tracks(Array(shown.prefix(SubtitleSelection.limit)))
        return try await perform("selection", .selectSubtitles(selection)).state
    }

    /// Measures the track that the source marks as its default, or the one that the request selects by its number.
    private func measure(_ request: LoadRequest) async throws {
        var wanted = LoudnessRequest(.source(request.source))
        if case .stream(let stream) = request.options.audio { wanted.stream = stream }
        wanted.http = request.http
        wanted.program = request.options.program
        var progress = ReadingProgress(isTerminal: Terminal.isErrorTerminal)
        defer { progress.end() }
        _ = try await client.measureLoudness(wanted) { progress.show($0.progress) }
    }
}

extension Sidecar {
    /// Whether it is on a server, so that a load does not wait for it.
    fileprivate var isServed: Bool { FilePath(text: path)?.isAbsolute != true }
}

extension SessionState {
    fileprivate func hasTracks(of file: Sidecar) -> Bool {
        subtitleTracks.contains { $0.origin == .sidecar(FilePath(text: file.path)?.text ?? file.path) }
    }
}

extension EngineClient {
    /// Ends a session that a command loaded only for itself, even if the command was cancelled.
    func endSession(_ session: SessionID) async {
        // In its own task, because this one may be cancelled. It ends with the answer to the call, or with the connection.
        await Task {
            _ = try? await stop(session)  // The session has ended already, or its engine cannot be reached.
        }.value
    }
}
