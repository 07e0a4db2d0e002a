// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// The commands by name, for the session given or the default one.
extension EngineClient {
    package func play(_ session: SessionID? = nil) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .play))
    }

    package func pause(_ session: SessionID? = nil) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .pause))
    }

    package func seek(
        _ session: SessionID? = nil,
        _ target: SeekCommand.Target,
        mode: SeekCommand.Mode = .exact,
        thenPlay: Bool? = nil
    ) async throws(EngineClientError) -> CommandResult {
        let seek = SeekCommand(target, mode: mode, thenPlay: thenPlay)
        return try await perform(CommandRequest(session: session, command: .seek(seek)))
    }

    package func setRate(_ session: SessionID? = nil, _ rate: Double) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .setRate(rate)))
    }

    package func setVolume(
        _ session: SessionID? = nil,
        _ volume: Double
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .setVolume(volume)))
    }

    package func setMuted(
        _ session: SessionID? = nil,
        _ isMuted: Bool
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .setMuted(isMuted)))
    }

    package func setLooping(
        _ session: SessionID? = nil,
        _ isLooping: Bool
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .setLooping(isLooping)))
    }

    package func skipChapter(
        _ session: SessionID? = nil,
        _ step: ChapterStep
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .skipChapter(step)))
    }

    package func selectAudio(
        _ session: SessionID? = nil,
        _ selection: AudioSelection
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .selectAudio(selection)))
    }

    package func selectSubtitles(
        _ session: SessionID? = nil,
        _ selection: SubtitleSelection
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .selectSubtitles(selection)))
    }

    package func stop(_ session: SessionID? = nil) async throws(EngineClientError) -> CommandResult {
        try await perform(CommandRequest(session: session, command: .stop))
    }
}
