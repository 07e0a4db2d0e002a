// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime

/// Writes all audio to a WAVE file, as fast as it arrives. A flush removes nothing from the file.
package final class FileAudioSink: AudioSink {
    private struct State {
        var format: AudioFormat?
        var generation: UInt64 = 0
        var taken: Int64 = 0
    }

    private let writer: WaveWriter
    private let state = Locked(State())

    private init(_ writer: WaveWriter) { self.writer = writer }

    /// Creates the file, or truncates it.
    ///
    /// - Parameter path: an absolute path or a `file:` URL.
    /// - Throws: `invalidArgument` when the file cannot be written.
    package static func open(_ path: String) async throws(EngineError) -> FileAudioSink {
        let writer = WaveWriter()
        let file = FilePath(fileURL: path) ?? FilePath(path)
        do throws(Errno) { try await writer.open(file) } catch {
            throw EngineError(.invalidArgument, "\(path) cannot be written", cause: error.description)
        }
        return FileAudioSink(writer)
    }

    package var isRealTime: Bool { false }

    /// The format of the first audio, because a file has only one: float, 32-bit or 16-bit samples, as in the source.
    package func format(for source: AudioFormat) -> AudioFormat {
        state.withLock { state in
            if let format = state.format { return format }
            let samples: SampleFormat =
                source.samples.isFloat ? .float : (source.samples.isDeep ? .int32 : .int16)
            let format = AudioFormat(samples: samples, rate: source.rate, layout: source.layout)
            state.format = format
            return format
        }
    }

    package func take(_ audio: TimedAudio, generation: UInt64) async -> Bool {
        let isCurrent = state.withLock { $0.generation == generation }
        guard isCurrent else { return true }
        guard await writer.append(audio) else { return false }
        state.withLock { state in
            if state.generation == generation { state.taken += Int64(audio.block.count) }
        }
        return true
    }

    package func flush(to generation: UInt64) {
        state.withLock { state in
            state.generation = generation
            state.taken = 0
        }
    }

    package func setRunning(_ isRunning: Bool) {}

    package func samplesHeard(at now: Int64) -> Int64? { state.withLock { $0.taken } }

    package func finish(generation: UInt64) {}

    /// Closes the file, which is then complete.
    package func close() async { await writer.close() }
}

/// The file, on a thread that may wait for the disk. The WAVE header is correct after every write.
private actor WaveWriter {
    private let executor = ThreadExecutor(name: "sound-file")
    private var file: OutputFile?
    private var byteCount: Int64 = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    func open(_ path: FilePath) throws(Errno) { file = try OutputFile(path) }

    func append(_ audio: TimedAudio) -> Bool {
        guard let file, let plane = audio.block.planes.first else { return false }
        guard byteCount + Int64(plane.count) <= WaveHeader.dataLimit else { return false }
        do throws(Errno) {
            try file.write(plane, at: Int64(WaveHeader.byteCount) + byteCount)
            byteCount += Int64(plane.count)
            try file.write(WaveHeader(format: audio.format, dataByteCount: byteCount).bytes, at: 0)
            return true
        } catch {
            return false
        }
    }

    func close() { file = nil }
}
