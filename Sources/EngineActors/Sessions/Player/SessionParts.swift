// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Reading

/// The parts of a session that its other parts use. They belong to the session's actor.
struct SessionParts {
    let setup: SessionSetup
    let media: SessionMedia
    let subtitles: SessionSubtitles
    let transport: SessionTransport
    let findings: SessionFindings

    /// - Parameters:
    ///   - player: a new one; a session that replaces another takes over the player of that session later.
    ///   - network: how subtitle files on servers are read.
    init(
        _ record: SessionRecord,
        _ setup: SessionSetup,
        _ media: SessionMedia,
        _ player: SessionPlayer,
        network: NetworkSettings
    ) {
        self.setup = setup
        self.media = media
        subtitles = SessionSubtitles(record, setup, media, network)
        transport = SessionTransport(setup, media, subtitles, player)
        findings = SessionFindings(setup, media, subtitles)
    }
}
