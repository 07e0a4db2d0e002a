// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Converts decoded audio of any format to one channel at 48 kHz, with the times of its samples.
struct TapMixer: ~Copyable {
    enum Output {
        case samples(Piece)
        /// The samples from here on do not continue those before.
        case gap
    }

    /// Converted samples. Their time is computed from the number of samples before them.
    struct Piece {
        let time: MediaTime
        let samples: [Float]
    }

    private static let mono = ChannelLayout(mask: 4)
    /// Decoded audio that is not converted yet.
    private var waiting: [TimedAudio] = []
    private var converter: AudioConverter?
    private var format: AudioFormat?
    /// Whether the converter has just been opened, for the first block in `waiting`.
    private var isNew = false
    /// The time of the first sample since the converter was opened.
    private var start = MediaTime.zero
    /// How many samples the converter has output.
    private var count: Int64 = 0

    /// Adds decoded audio. It continues the audio added before, unless it is marked as discontinuous or has another format.
    mutating func add(_ audio: [TimedAudio]) { waiting += audio }

    /// Converts more of the added audio. Before audio that does not continue what came before, returns the samples that the
    /// resampler still holds, then a gap. `nil` when everything is converted.
    mutating func next() throws(FFmpegError) -> Output? {
        guard let audio = waiting.first else { return nil }
        if !isNew, !follows(audio) {
            if let rest = try finish() { return .samples(rest) }
            try open(for: audio)
            return .gap
        }
        isNew = false
        waiting.removeFirst()
        return .samples(take(try converter?.convert(audio.block)))
    }

    /// Ends the conversion. Returns the samples that the resampler still holds; `nil` if there are none.
    mutating func finish() throws(FFmpegError) -> Piece? {
        guard converter != nil else { return nil }
        let rest = take(try converter?.convert(nil))
        closeConverter()
        return rest.samples.isEmpty ? nil : rest
    }

    /// Drops all audio. The next audio begins after a gap.
    mutating func reset() {
        waiting = []
        closeConverter()
    }

    private func follows(_ audio: TimedAudio) -> Bool {
        converter != nil && format == audio.format && !audio.isDiscontinuous
    }

    private mutating func open(for audio: TimedAudio) throws(FFmpegError) {
        let output = AudioFormat(samples: .float, rate: TappedAudio.sampleRate, layout: Self.mono)
        converter = try AudioConverter.open(from: audio.format, to: output, neverClips: true)
        (format, start, count, isNew) = (audio.format, audio.time, 0, true)
    }

    private mutating func closeConverter() {
        converter = nil
        (format, isNew) = (nil, false)
    }

    private mutating func take(_ block: SampleBlock?) -> Piece {
        let time = start + MediaTime(count, in: .hertz(Int64(TappedAudio.sampleRate)))
        let samples = (block?.planes.first ?? []).floats
        count += Int64(samples.count)
        return Piece(time: time, samples: samples)
    }
}

extension [UInt8] {
    /// As little-endian 32-bit floats.
    fileprivate var floats: [Float] {
        stride(from: 0, to: count & ~3, by: 4).map { place in
            let bits =
                UInt32(self[place]) | UInt32(self[place + 1]) << 8 | UInt32(self[place + 2]) << 16
                | UInt32(self[place + 3]) << 24
            return Float(bitPattern: bits)
        }
    }
}
