// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// Reads one file of subtitles, all of it at once.
///
/// Never touches playback. Owned by the session that has it read; its thread ends with it and gives way to all others.
actor SidecarDecoder {
    /// A track that was read.
    struct Track: Sendable {
        let track: SubtitleTrack
        /// In order.
        let cues: [Cue]
        let scriptHeader: String
    }

    private let executor = ThreadExecutor(name: "sidecar", niceness: 5)
    private nonisolated let interruptFlag = InterruptFlag()
    private var reader: SidecarReader?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// Makes a running read end at once, and every later one. Safe from any thread.
    nonisolated func interrupt() { interruptFlag.raise() }

    /// Reads and recognises a file. Returns how many tracks it has.
    ///
    /// - Parameter headers: for a server, where the sidecar names none.
    func open(_ sidecar: Sidecar, headers: [HTTPHeader], for film: SidecarFilm) throws(EngineError) -> Int {
        do throws(EngineError) {
            let content = try SidecarContent(sidecar, headers: headers, interrupt: interruptFlag)
            let reader = try SidecarReader.open(content, for: film, interrupt: interruptFlag)
            self.reader = reader
            return reader.trackCount
        } catch {
            throw error.blamingPath
        }
    }

    /// Decodes all that was opened.
    ///
    /// - Parameter firstID: of its first track.
    func decode(_ sidecar: Sidecar, for film: SidecarFilm, firstID: Int) throws(EngineError) -> [Track] {
        guard let reader else { throw EngineError(.internal, "a sidecar was decoded before it was opened") }
        self.reader = nil
        do throws(EngineError) {
            try reader.start(sidecar, for: film, firstID: firstID)
            var stream = CueStream()
            while let cues = try reader.next() {
                if interruptFlag.isUp { throw EngineError(.cancelled, "nobody waits for \(sidecar.path) any more") }
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
    /// The same failure, for which the path of a file is to blame unless another field is.
    var blamingPath: EngineError {
        var error = self
        if error.field.isEmpty || error.field == "source" { error.field = "path" }
        return error
    }

    /// The same failure where `path` is a field of the message at `place`, or is that one itself.
    func blaming(_ place: String, path: String) -> EngineError {
        var error = self
        let field = error.field == "path" ? path : error.field
        if !error.field.isEmpty { error.field = place.isEmpty ? field : "\(place).\(field)" }
        return error
    }
}
