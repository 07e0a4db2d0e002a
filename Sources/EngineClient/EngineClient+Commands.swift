// SPDX-License-Identifier: Apache-2.0

public import EngineModel

// The commands by name, for the session given, or for the default one when that is `nil`. `perform` sends them with a revision
// or an id.
extension EngineClient {
    /// Starts or resumes playback; an ended session begins anew.
    public func play(_ session: SessionID? = nil) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .play))
    }

    public func pause(_ session: SessionID? = nil) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .pause))
    }

    /// Goes somewhere else on the timeline. What lies outside is clamped to it, and the answer says so.
    ///
    /// - Parameter thenPlay: whether it plays from there; `nil`: as it did before.
    /// - Returns: with the id that the `SeekEvent`s of this seek carry.
    public func seek(
        _ session: SessionID?,
        _ target: SeekCommand.Target,
        mode: SeekCommand.Mode = .exact,
        thenPlay: Bool? = nil
    ) async throws(EngineClientError) -> CommandResult {
        let seek = SeekCommand(target, mode: mode, thenPlay: thenPlay)
        return try await perform(CommandRequest(session: session, command: .seek(seek)))
    }

    /// Clamped to the session's range. The rate takes effect while playing.
    public func setRate(_ session: SessionID?, _ rate: Double) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .setRate(rate)))
    }

    /// For the renderer, 0 … 1, clamped.
    public func setVolume(
        _ session: SessionID?,
        _ volume: Double
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .setVolume(volume)))
    }

    /// For the renderer; the volume stays as it is.
    public func setMuted(
        _ session: SessionID?,
        _ isMuted: Bool
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .setMuted(isMuted)))
    }

    /// Whether the playhead goes on at the start when it reaches the end.
    public func setLooping(
        _ session: SessionID?,
        _ isLooping: Bool
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .setLooping(isLooping)))
    }

    /// Changes nothing where there is no such chapter.
    public func skipChapter(
        _ session: SessionID?,
        _ step: ChapterStep
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .skipChapter(step)))
    }

    /// Makes another audio track the default one.
    public func selectAudio(
        _ session: SessionID?,
        _ selection: AudioSelection
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .selectAudio(selection)))
    }

    /// Shows other subtitle tracks.
    public func selectSubtitles(
        _ session: SessionID? = nil,
        _ selection: SubtitleSelection
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .selectSubtitles(selection)))
    }

    /// Plays on a path from here on: the engine's own decoding where a front-end finds that it cannot decode. `nil`: the path
    /// that the source takes by the player's profile.
    public func selectPath(
        _ session: SessionID? = nil,
        _ path: PlaybackPath?
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .selectPath(path)))
    }

    /// Lets the session be heard by the engine itself, on the software path. `nil`: nowhere.
    public func setSoundOutput(
        _ session: SessionID? = nil,
        _ output: SoundOutput?
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .setSoundOutput(output)))
    }

    /// Ends the session. The answer carries its last state.
    public func stop(_ session: SessionID? = nil) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .stop))
    }
}
