// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging
package import Reading

/// Lists the tracks of the subtitle files beside a source that no session has loaded, with the ids that a load would
/// assign.
///
/// Decodes no cues. Owned by the call that describes the source or reads its cues; its thread ends with the actor.
package actor FoundSubtitles {
    /// A track, and what is needed to read its cues.
    struct Entry: Sendable {
        let track: SubtitleTrack
        let record: SidecarRecord
        /// The id of the file's first track.
        let firstID: Int
        let source: SidecarContext
    }

    private let executor = ThreadExecutor(name: "sidecar", niceness: 5)
    private nonisolated let interruptFlag = InterruptFlag()
    private nonisolated let search = SidecarSearch()
    private let opener: SourceOpener

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    package init(_ opener: SourceOpener) { self.opener = opener }

    /// Makes a running search return what it has found. Safe from any thread.
    package nonisolated func interrupt() {
        interruptFlag.raise()
        search.interrupt()
    }

    /// The tracks of the files beside a source. Empty for a source on a server.
    ///
    /// - Parameter source: a path or URL, as in `LoadRequest.source`, that has been opened.
    package func tracks(beside source: String, of media: MediaDescription) async -> [SubtitleTrack] {
        await entries(beside: source, of: media).map(\.track)
    }

    /// The tracks of the files beside a source. Skips files that cannot be read.
    func entries(beside source: String, of media: MediaDescription) async -> [Entry] {
        guard !SourceOpener.isURL(source), let path = Self.path(of: source) else { return [] }
        let found = await search.sidecars(of: path)
        let source = SidecarContext(
            name: ByteText.text(of: path.name),
            frameRate: media.ownStreams.first { $0.kind == .video }?.video?.frameRate
        )
        var entries: [Entry] = []
        var next = SubtitleTrack.firstSidecar
        for record in found.files.prefix(Sidecar.countLimit) where !interruptFlag.isUp {
            let tracks = tracks(of: record, firstID: next, source)
            entries += tracks.map { Entry(track: $0, record: record, firstID: next, source: source) }
            next += tracks.count
        }
        return entries
    }

    private static func path(of source: String) -> FilePath? {
        do throws(EngineError) { return try SourceFile.path(of: source) } catch { return nil }
    }

    private func tracks(of record: SidecarRecord, firstID: Int, _ source: SidecarContext) -> [SubtitleTrack] {
        do throws(EngineError) {
            let file = try SidecarFile.open(record, for: source, opener, interrupt: interruptFlag)
            return try SidecarReader(file, as: record.sidecar, for: source, firstID: firstID).tracks
        } catch {
            // Skips the file. A load skips it too, and reports it.
            return []
        }
    }
}
