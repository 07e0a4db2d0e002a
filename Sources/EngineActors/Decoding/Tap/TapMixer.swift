// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Converts decoded audio of any format to one channel at 48 kHz, with the times of its samples.
struct TapMixer: ~Copyable {
    private static let mono = ChannelLayout(mask: 4)
    private var converter: AudioConverter?
    private var format: AudioFormat?
    /// The time of the first sample since the converter was opened.
    private var start = MediaTime.zero
    /// How many samples the converter has output.
    private var count: Int64 = 0

    /// Converted samples. Their time is computed from the number of samples before them.
    struct Piece {
        let time: MediaTime
        let samples: [Float]
    }

    /// Converts `audio`. If `follows(audio)` is false, callers must call `finish` first.
    mutating func convert(_ audio: TimedAudio) throws(FFmpegError) -> Piece {
        if format != audio.format || converter == nil {
            let output = AudioFormat(samples: .float, rate: TappedAudio.sampleRate, layout: Self.mono)
            converter = try AudioConverter.open(from: audio.format, to: output, neverClips: true)
            format = audio.format
            start = audio.time
            count = 0
        }
        return take(try converter?.convert(audio.block))
    }

    func follows(_ audio: TimedAudio) -> Bool { converter != nil && format == audio.format && !audio.isDiscontinuous }

    /// Ends the conversion. Returns the samples that the resampler still holds; `nil` if there are none.
    mutating func finish() throws(FFmpegError) -> Piece? {
        guard converter != nil else { return nil }
        let rest = take(try converter?.convert(nil))
        reset()
        return rest.samples.isEmpty ? nil : rest
    }

    mutating func reset() {
        converter = nil
        format = nil
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
