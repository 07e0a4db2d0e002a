// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging
package import Reading

/// Reads a whole subtitle file at once.
///
/// Never touches playback. Owned by the session that loads the file; its low-priority thread ends with the actor.
package actor SidecarDecoder {
    /// A decoded track.
    package struct Track: Sendable {
        package let track: SubtitleTrack
        /// In order.
        package let cues: [Cue]
        package let scriptHeader: String
    }

    private let executor = ThreadExecutor(name: "sidecar", niceness: 5)
    private nonisolated let interruptFlag = InterruptFlag()
    private let opener: SourceOpener
    private var file: SidecarFile?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    package init(_ opener: SourceOpener) { self.opener = opener }

    /// Makes the current read and every later one fail at once. Safe from any thread.
    package nonisolated func interrupt() { interruptFlag.raise() }

    /// Reads a file, and determines its format.
    ///
    /// - Parameters:
    ///   - request: the load of the source. Its header fields are sent to the server if the sidecar has none of its
    ///     own; its login is sent if that is the server of the source.
    ///   - folder: the folder of the source, if it is on a server that lists it.
    /// - Returns: the number of tracks in the file.
    package func open(
        _ record: SidecarRecord,
        _ request: LoadRequest,
        in folder: ServedFolder?,
        for source: SidecarContext
    ) throws(EngineError) -> Int {
        do throws(EngineError) {
            let fetcher = SidecarFetcher(
                request.http,
                opener,
                of: request.source,
                in: folder,
                interrupt: interruptFlag
            )
            let content = try SidecarContent(record.sidecar, at: SidecarLocation(record), by: fetcher)
            let file = try SidecarFile.open(content, for: source, interrupt: interruptFlag)
            let count = file.streams.count
            self.file = consume file
            return count
        } catch {
            throw error.blamingPath
        }
    }

    /// Decodes every track of the opened file.
    ///
    /// - Parameter firstID: the id of the first track.
    package func decode(_ sidecar: Sidecar, for source: SidecarContext, firstID: Int) throws(EngineError) -> [Track] {
        guard let file = file.take() else {
            throw EngineError(.internal, "a sidecar was decoded before it was opened")
        }
        do throws(EngineError) {
            let reader = try SidecarReader(file, as: sidecar, for: source, firstID: firstID)
            var stream = CueStream()
            while let cues = try reader.next() {
                if interruptFlag.isUp {
                    throw EngineError(.cancelled, "reading \(SourceOpener.shown(sidecar.path)) was cancelled")
                }
                stream.add(cues)
            }
            stream.add(try reader.finish())
            let cues = Dictionary(grouping: stream.finish(), by: \.track)
            return reader.tracks.map { track in
                Track(track: track, cues: cues[track.id] ?? [], scriptHeader: reader.scriptHeader(of: track))
            }
        } catch {
            throw error.blamingPath
        }
    }
}

extension EngineError {
    /// The same error, attributed to the field `path` unless it names a field other than `source`.
    var blamingPath: EngineError {
        var error = self
        if error.field.isEmpty || error.field == "source" { error.field = "path" }
        return error
    }

    /// The same error, with the prefix `place` before its field. A field named `path` is renamed to the value of the
    /// parameter `path`.
    package func blaming(_ place: String, path: String) -> EngineError {
        var error = self
        let field = error.field == "path" ? path : error.field
        if !error.field.isEmpty { error.field = place.isEmpty ? field : "\(place).\(field)" }
        return error
    }
}
