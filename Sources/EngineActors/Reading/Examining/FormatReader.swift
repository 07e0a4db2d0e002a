// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging

/// Finds the formats in which the video and the audio of a list continue after discontinuities, ahead of playback,
/// because the master playlist names their codecs.
///
/// Apart from the segments that every reader opens first, reads only the first segment of each version. Used once, by
/// the code that answers a request for the master playlist.
package actor FormatReader {
    private static let niceness: Int = 5

    private let executor: ThreadExecutor
    private let source: OpenedSource
    private nonisolated let interruptFlag = InterruptFlag()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    package init(_ source: OpenedSource) {
        executor = ThreadExecutor(name: "formats", niceness: Self.niceness)
        self.source = source
    }

    /// Makes the running call end at once. Safe from any thread.
    package nonisolated func interrupt() { interruptFlag.raise() }

    /// Decides how the video and the audio of these versions of a plan are served.
    package func read(_ versions: [Int], of plan: SegmentPlan) throws(EngineError) {
        let reader = try SourceReader(
            file: source.file,
            for: .reading,
            edits: source.edits,
            interrupt: interruptFlag
        )
        guard let list = reader.list else { return }
        let places = Set(source.tracks.indices.filter { source.tracks[$0].kind == .audio })
        for version in versions {
            do throws(EngineError) {
                try source.learnVideo(version: version, list)
                source.videoVersions.noteSearched(version)
                try list.learnAudio(of: Set(places.map { source.tracks[$0].stream.index }), version: version)
            } catch {
                // The other versions can still be read.
                if error.code == .cancelled { throw error }
                continue
            }
            source.decideAudio(of: places, version: version, canBridge: plan.partLength == nil)
            source.audioVersions.noteSearched(version)
        }
    }
}
