// SPDX-License-Identifier: Apache-2.0

public import EngineModel

// One method per command. A session of `nil` is the default session. Use `perform` to send a command with a revision or
// a request id.
extension EngineClient {
    /// Sends any command.
    public func perform(_ session: SessionID?, _ command: Command) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: command))
    }

    /// Starts or resumes playback; an ended session starts over.
    public func play(_ session: SessionID? = nil) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .player(.play))
    }

    public func pause(_ session: SessionID? = nil) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .player(.pause))
    }

    /// Moves the playhead. A target outside the timeline is clamped to it, and the result reports that.
    ///
    /// - Parameter thenPlay: whether to play after the seek; `nil` to keep the current state.
    /// - Returns: a result with the id that the `SeekEvent`s of this seek carry.
    public func seek(
        _ session: SessionID?,
        _ target: SeekCommand.Target,
        mode: SeekCommand.Mode = .exact,
        thenPlay: Bool? = nil
    ) async throws(EngineClientError) -> CommandResult {
        let seek = SeekCommand(target, mode: mode, thenPlay: thenPlay)
        return try await perform(session, .player(.seek(seek)))
    }

    /// Sets the rate, clamped to the session's range. It takes effect while the session plays.
    public func setRate(_ session: SessionID?, _ rate: Double) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .player(.setRate(rate)))
    }

    /// Sets the renderer's volume, 0 … 1, clamped.
    public func setVolume(_ session: SessionID?, _ volume: Double) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .player(.setVolume(volume)))
    }

    /// Mutes or unmutes the renderer. The volume is unchanged.
    public func setMuted(_ session: SessionID?, _ isMuted: Bool) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .player(.setMuted(isMuted)))
    }

    /// Sets whether the playhead continues from the start when it reaches the end.
    public func setLooping(_ session: SessionID?, _ isLooping: Bool) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .player(.setLooping(isLooping)))
    }

    /// Pauses, and moves the playhead by `frames` frames of the video; backwards if negative.
    public func stepFrame(_ session: SessionID?, by frames: Int) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .stepFrame(frames))
    }

    /// Moves the playhead to another chapter. No effect if there is no such chapter.
    public func skipChapter(
        _ session: SessionID?,
        _ step: ChapterStep
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .player(.skipChapter(step)))
    }

    /// Changes the URL or the HTTP options of the session's source.
    public func refreshSource(
        _ session: SessionID? = nil,
        _ refresh: SourceRefresh
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .source(.refresh(refresh)))
    }

    /// Plays another program of a transport stream, in the same session, from the same position.
    public func selectProgram(
        _ session: SessionID?,
        _ selection: ProgramSelection
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .source(.selectProgram(selection)))
    }

    /// Records the session's media to a new file on the engine's machine. Returns once the first segment is written.
    public func startRecording(
        _ session: SessionID? = nil,
        _ request: RecordingRequest
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .recording(.start(request)))
    }

    /// Ends the recording of the session. Returns once the file is complete.
    public func stopRecording(_ session: SessionID? = nil) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .recording(.stop))
    }

    /// Makes another audio track the default one.
    public func selectAudio(
        _ session: SessionID?,
        _ selection: AudioSelection
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .tracks(.selectAudio(selection)))
    }

    /// Selects the subtitle tracks to show.
    public func selectSubtitles(
        _ session: SessionID? = nil,
        _ selection: SubtitleSelection
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .tracks(.selectSubtitles(selection)))
    }

    /// Switches the playback path, for example to the software path when a front-end cannot decode the media. `nil`:
    /// the path depends on the source, and on whether any sink is attached.
    public func selectPath(
        _ session: SessionID? = nil,
        _ path: PlaybackPath?
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .output(.selectPath(path)))
    }

    /// Makes the engine play the session's audio itself, on the software path. `nil`: the engine plays no audio.
    public func setSoundOutput(
        _ session: SessionID? = nil,
        _ output: AudioOutput?
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .output(.setSoundOutput(output)))
    }

    /// Ends the session. The result carries its last state.
    public func stop(_ session: SessionID? = nil) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .stop)
    }
}
