// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Foundation

/// A mono WAV file with floating-point samples (RIFF, `WAVE_FORMAT_IEEE_FLOAT`).
struct WaveFile {
    private let handle: FileHandle
    private let path: FilePath
    private let sampleRate: Int
    private var byteCount = 0

    init(_ file: FileArgument, sampleRate: Int) throws(Failure) {
        handle = try file.create()
        path = file.path
        self.sampleRate = sampleRate
        try append([])
    }

    mutating func append(_ samples: [Float]) throws(Failure) {
        let bytes = samples.flatMap { Self.bytes(UInt64($0.bitPattern), 4) }
        do {
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(bytes))
            byteCount += bytes.count
            // Update the header now, so that the file is valid up to here if the process is interrupted.
            try handle.seek(toOffset: 0)
            try handle.write(contentsOf: header)
        } catch {
            throw Failure(.failed, "cannot write \(path): \(error.localizedDescription)")
        }
    }

    func finish() throws(Failure) {
        do { try handle.close() } catch {
            throw Failure(.failed, "cannot write \(path): \(error.localizedDescription)")
        }
    }

    private var header: Data {
        let size = UInt64(clamping: min(byteCount, Int(UInt32.max) - 64))
        var bytes = Array("RIFF".utf8) + Self.bytes(36 + size, 4) + Array("WAVEfmt ".utf8) + Self.bytes(16, 4)
        bytes += Self.bytes(3, 2) + Self.bytes(1, 2) + Self.bytes(UInt64(sampleRate), 4)
        bytes += Self.bytes(UInt64(sampleRate) * 4, 4) + Self.bytes(4, 2) + Self.bytes(32, 2)
        bytes += Array("data".utf8) + Self.bytes(size, 4)
        return Data(bytes)
    }

    private static func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
