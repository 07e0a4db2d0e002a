// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// One MP4 file of a recording, and the subtitle files beside it.
///
/// Calls block. Belongs to the recorder.
final class RecordedPart {
    /// A subtitle file, which is created with its first cue.
    private struct Text {
        let path: FilePath
        var file: OutputFile?
        var byteCount: Int64 = 0
        var cueCount = 0
    }

    /// Counted from 1.
    let number: Int
    let path: FilePath
    /// The version of the video's configuration, which is the same in the whole file.
    let version: Int
    /// The start of the file on the session's timeline.
    private let start: MediaTime
    /// The end of the last segment on the session's timeline.
    private var end: MediaTime
    private let tracks: [Track]
    private let file: OutputFile
    private let headByteCount: Int64
    private var entries: [RecordingFile.Entry] = []
    private var fragmentCount: UInt32 = 0
    /// The size of the file without an unfinished segment.
    private var byteCount: Int64
    private var texts: [Int: Text] = [:]

    /// Creates the file.
    ///
    /// - Throws: `EEXIST` if the file exists.
    init(
        _ number: Int,
        _ path: FilePath,
        _ tracks: [Track],
        version: Int,
        from start: MediaTime
    ) throws(Errno) {
        (self.number, self.path, self.tracks, self.version) = (number, path, tracks, version)
        (self.start, end) = (start, start)
        file = try OutputFile(new: path)
        let head = RecordingFile.header(tracks)
        headByteCount = Int64(head.count)
        byteCount = headByteCount
        do throws(Errno) { try file.write(head, at: 0) } catch {
            remove()
            throw error
        }
    }

    /// Removes the file, in which nothing is recorded.
    func remove() { NamedFile.remove(path.bytes) }

    /// Whether at most one segment was appended.
    var isFirst: Bool { entries.count < 2 }

    /// The subtitle files that exist.
    var textPaths: [FilePath] {
        texts.sorted { $0.key < $1.key }.compactMap { $0.value.file == nil ? nil : $0.value.path }
    }

    /// Appends a segment. If that fails, the file ends before it.
    ///
    /// - Parameter bodies: for each track of the file, in order.
    /// - Throws: `recordingFailed`; `internal` for a segment that was not written by the engine.
    func append(_ bodies: [ByteBody], from begin: MediaTime, to end: MediaTime) throws(EngineError) {
        var regions: [any ByteRegion] = []
        for (number, body) in bodies.enumerated() { regions += try fragments(of: number, body) }
        do throws(Errno) {
            try file.write(regions, at: byteCount)
        } catch {
            cut()
            throw .recording(path, error)
        }
        let size = regions.reduce(0) { $0 + Int64($1.byteCount) }
        let timeBase = tracks[0].timeBase
        // The segment before a missing one lasts longer in the index.
        if let last = entries.indices.last { entries[last].duration += (begin - self.end).ticks(in: timeBase) }
        entries.append(.init(duration: (end - begin).ticks(in: timeBase), byteCount: size))
        byteCount += size
        self.end = end
    }

    private func fragments(of number: Int, _ body: ByteBody) throws(EngineError) -> [any ByteRegion] {
        var regions: [any ByteRegion] = []
        do throws(PackagingError) {
            for chunk in try PackedSegment.chunks(of: body) {
                fragmentCount += 1
                let (head, payload) = try RecordingFile.fragment(
                    chunk,
                    id: UInt32(number + 1),
                    sequenceNumber: fragmentCount,
                    earlierBy: start.ticks(in: tracks[number].timeBase)
                )
                regions += [ArrayRegion(head)] + chunk.slice(payload..<chunk.byteCount)
            }
            return regions
        } catch {
            throw EngineError(.internal, "a segment cannot be recorded", cause: "\(error)")
        }
    }

    /// Removes what was written of a segment before an error.
    private func cut() {
        do throws(Errno) { try file.truncate(to: byteCount) } catch {
            // Players ignore an unfinished fragment at the end.
        }
    }

    /// Appends cues to a subtitle file. Their times are shifted to count from the start of the MP4 file.
    ///
    /// - Parameters:
    ///   - track: the id of the cues' track.
    ///   - path: the file to create if the track has none yet.
    func append(_ cues: [Cue], of track: Int, to path: FilePath) throws(EngineError) {
        guard !cues.isEmpty else { return }
        var text = texts[track] ?? Text(path: path)
        do throws(Errno) {
            let file: OutputFile
            if let known = text.file { file = known } else { file = try OutputFile(new: text.path) }
            text.file = file
            for cue in cues {
                let (start, end) = (max(.zero, cue.start - start), cue.end.map { max(.zero, $0 - self.start) })
                let moved = Cue(track: track, start: start, end: end, content: cue.content)
                let block = Array(SubRipWriter.block(moved, number: text.cueCount + 1).utf8)
                try file.write(block, at: text.byteCount)
                text.cueCount += 1
                text.byteCount += Int64(block.count)
            }
        } catch {
            throw .recording(text.path, error)
        }
        texts[track] = text
    }

    /// Completes the file: writes the index, and waits until everything is on the disk.
    func finish() throws(EngineError) {
        let index = RecordingFile.index(entries, tracks[0])
        do throws(Errno) {
            try file.write(index, at: headByteCount - Int64(index.count))
            try file.synchronize()
            for case let file? in texts.values.map(\.file) { try file.synchronize() }
        } catch {
            throw .recording(path, error)
        }
    }
}

extension EngineError {
    static func recording(_ path: FilePath, _ error: Errno) -> EngineError {
        EngineError(.recordingFailed, "\(path.text) cannot be written", cause: "\(error)")
    }
}
