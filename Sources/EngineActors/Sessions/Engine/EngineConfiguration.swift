// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The settings that an engine starts with.
package struct EngineConfiguration: Hashable, Sendable {
    /// The most bytes that the finished segments of all sessions may take together.
    package var cacheBytes = 512 << 20
    package var sessionLimit = 64
    /// The directory for plans found by scanning; `nil` keeps none.
    package var planDirectory: String?
    /// Keeps the text that was recognized in bitmap subtitles. `nil` if there is no place for it.
    package var recognitionDirectory: String?
    /// Keeps the measured loudness of tracks; `nil` keeps none.
    package var loudnessDirectory: String?
    /// The memory for each source that can be received only once, in bytes: a feed, or a source whose server does not
    /// support ranges.
    package var windowBytes = 256 << 20
    /// The directory for the bytes that live streams keep beyond `windowBytes`; `nil` keeps nothing on disk.
    package var spoolDirectory: String?
    /// The most bytes that each live stream keeps in that directory.
    package var spoolBytes = 4 << 30
    /// The directory for fetched bytes of sources on servers; `nil` keeps them in memory only.
    package var sourceCacheDirectory: String?
    /// The limit of that directory, in bytes.
    package var sourceCacheBytes = 1 << 30
    /// A file to which nothing has been written for this long is no longer a recording in progress.
    package var recordingTimeout = Duration.seconds(10)
    /// The servers from which sources and subtitle files may be fetched.
    package var network = NetworkAccess.on
    /// The defaults for connection options that a source does not set.
    package var http = HTTPConnectionOptions()
    /// For sources on SFTP servers.
    package var secureShell = SecureShellSettings()
    /// The file with the passwords of servers; `nil`: there is none.
    package var credentialFile: String?
    /// The programs that read sources (docs/sources.md), by the scheme of their URLs; absolute paths.
    package var sourceHelpers: [String: String] = [:]
    /// The directory for the playback history; `nil` keeps none.
    package var historyDirectory: String?
    /// Whether loads resume where playback of their source stopped, unless the request says otherwise.
    package var resumes = false
    /// The player settings of sessions, unless the load request overrides them.
    package var player = PlayerSettings()

    package init() {}
}
