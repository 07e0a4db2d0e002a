// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The settings that an engine starts with.
package struct EngineConfiguration: Hashable, Sendable {
    /// The most bytes that the finished segments of all sessions may take together.
    package var cacheBytes = 512 << 20
    package var sessionLimit = 64
    /// The directory for plans found by scanning; `nil` keeps none.
    package var planDirectory: String?
    /// The memory for each source whose server does not support ranges, in bytes.
    package var windowBytes = 256 << 20
    /// The directory for what was fetched of sources on servers; `nil` keeps it in memory only.
    package var sourceCacheDirectory: String?
    /// The limit of that directory, in bytes.
    package var sourceCacheBytes = 1 << 30
    /// Once nothing has been written to a file for this long, it is not a recording in progress any more.
    package var recordingTimeout = Duration.seconds(10)
    /// Which servers sources and subtitle files may be fetched from.
    package var network = NetworkAccess.on
    /// For what the options of a source leave open.
    package var http = HTTPConnectionOptions()
    /// The directory for the history of what was played; `nil` keeps none.
    package var historyDirectory: String?
    /// Whether loads begin where their source was left, unless they say otherwise.
    package var resumes = false
    /// The player settings of sessions, unless the load request overrides them.
    package var player = PlayerSettings()

    package init() {}
}
