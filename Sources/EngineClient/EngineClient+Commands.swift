// SPDX-License-Identifier: Apache-2.0

public import EngineModel

// The commands by name, for the session given or the default one.
extension EngineClient {
    public func play(_ session: SessionID? = nil) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .play))
    }

    public func pause(_ session: SessionID? = nil) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .pause))
    }

    public func seek(
        _ session: SessionID? = nil,
        _ target: SeekCommand.Target,
        mode: SeekCommand.Mode = .exact,
        thenPlay: Bool? = nil
    ) async throws(EngineClientError) -> CommandResult {
        let seek = SeekCommand(target, mode: mode, thenPlay: thenPlay)
        return try await perform(CommandRequest(session: session, command: .seek(seek)))
    }

    public func setRate(_ session: SessionID? = nil, _ rate: Double) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .setRate(rate)))
    }

    public func setVolume(
        _ session: SessionID? = nil,
        _ volume: Double
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .setVolume(volume)))
    }

    public func setMuted(
        _ session: SessionID? = nil,
        _ isMuted: Bool
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .setMuted(isMuted)))
    }

    public func setLooping(
        _ session: SessionID? = nil,
        _ isLooping: Bool
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .setLooping(isLooping)))
    }

    public func skipChapter(
        _ session: SessionID? = nil,
        _ step: ChapterStep
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .skipChapter(step)))
    }

    public func selectAudio(
        _ session: SessionID? = nil,
        _ selection: AudioSelection
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .selectAudio(selection)))
    }

    public func stop(_ session: SessionID? = nil) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .stop))
    }
}
