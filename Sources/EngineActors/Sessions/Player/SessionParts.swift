// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Reading

/// The parts of a session that the software path, planning, serving and recording share. They belong to the session's
/// actor.
struct SessionParts {
    let setup: SessionSetup
    let media: SessionMedia
    let subtitles: SessionSubtitles
    let transport: SessionTransport
    let findings: SessionFindings
    let watch: SourceWatch

    /// - Parameters:
    ///   - player: a new player; a session that replaces another one takes over that session's player later.
    ///   - opener: fetches subtitle files on servers.
    init(
        _ record: SessionRecord,
        _ setup: SessionSetup,
        _ media: SessionMedia,
        _ player: SessionPlayer,
        opener: SourceOpener
    ) {
        self.setup = setup
        self.media = media
        subtitles = SessionSubtitles(record, setup, media, opener)
        transport = SessionTransport(setup, media, subtitles, player)
        findings = SessionFindings(setup, media, subtitles)
        watch = SourceWatch(setup, media, transport)
    }
}
