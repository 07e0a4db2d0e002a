// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import Logging
internal import Reading
internal import Subtitles
internal import Transfers

/// The sources of an engine: opens and caches them, and notifies sessions of network changes.
///
/// Thread-safety: safe.
package struct EngineSources: Sendable {
    let opener: SourceOpener

    /// - Parameter pause: how long every source that is to be opened waits from now on.
    init(_ configuration: EngineConfiguration, pause: Duration) {
        let disk = configuration.sourceCacheDirectory.map { directory in
            let logger = Logger(label: "source-cache")
            return DiskCache(directory: directory, byteLimit: Int64(configuration.sourceCacheBytes)) { problem in
                logger.warning("\(problem)")
            }
        }
        let spool = configuration.spoolDirectory.map {
            SpoolSettings(directory: $0, byteLimit: Int64(configuration.spoolBytes))
        }
        let servers = HTTPSources(
            configuration.network,
            defaults: configuration.http,
            secureShell: configuration.secureShell,
            credentialFile: configuration.credentialFile,
            windowByteLimit: configuration.windowBytes,
            spool: spool,
            disk: disk,
            helpers: SourceHelpers(programs: configuration.sourceHelpers, folders: Executable.helperFolders)
        )
        opener = SourceOpener(
            servers: servers,
            quiet: configuration.recordingTimeout,
            pause: pause,
            loudness: LoudnessStore(directory: configuration.loudnessDirectory)
        )
    }

    /// The requests, retries, bytes and cache hits of all sources on servers so far.
    package var traffic: SourceTraffic { opener.traffic }

    /// A report of the cache for sources on servers.
    package var cacheReport: SourceCacheReport { opener.cacheReport }

    /// Describes a source without loading it, with the subtitle files beside it unless the settings say otherwise.
    func describe(
        _ source: String,
        _ http: HTTPOptions,
        options: LoadOptions,
        for player: PlayerSettings
    ) async throws(EngineError) -> MediaDescription {
        let demuxer = Demuxer(name: "probe", opener: opener)
        var media = try await interrupting(by: demuxer.interrupt) { () async throws(EngineError) in
            try await demuxer.describe(source, http, options: options)
        }
        if player.overridden(by: options).findsSubtitles {
            let finder = FoundSubtitles(opener)
            media.subtitleFiles = await interrupting(by: finder.interrupt) { [media] in
                await finder.tracks(beside: source, of: media)
            }
        }
        return media
    }

    /// Notifies the sessions whose source is on a server of each change of this machine's network.
    func followNetwork(for sessions: SessionDirectory) {
        let logger = Logger(label: "network")
        // The opener calls this closure as long as the process lives; the sessions end with their engine.
        opener.followNetwork { [weak sessions] change in
            if case .unwatched(let problem) = change {
                logger.warning("network changes cannot be detected: \(problem)")
            }
            guard let sessions, let notice = Notice.of(change) else { return }
            for session in sessions.all where SourceOpener.isURL(session.setup.request.source) {
                session.setup.publish(notice)
            }
        }
    }
}
