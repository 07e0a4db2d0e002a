// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// The memory layout of decoded samples, a counterpart of `AVSampleFormat`.
package struct SampleFormat: Hashable, Sendable {
    let rawValue: CInt

    init(_ format: AVSampleFormat) { rawValue = format.rawValue }

    package static let int16 = SampleFormat(AV_SAMPLE_FMT_S16)
    package static let int32 = SampleFormat(AV_SAMPLE_FMT_S32)
    /// 32-bit floats, channels interleaved.
    package static let float = SampleFormat(AV_SAMPLE_FMT_FLT)
    package static let planarFloat = SampleFormat(AV_SAMPLE_FMT_FLTP)

    var native: AVSampleFormat { AVSampleFormat(rawValue: rawValue) }

    package var isPlanar: Bool { av_sample_fmt_is_planar(native) != 0 }
    /// The same sample type with the channels interleaved (`av_get_packed_sample_fmt`).
    package var packed: SampleFormat { SampleFormat(av_get_packed_sample_fmt(native)) }
    /// Bytes per sample of one channel; 0 for an invalid format.
    package var bytesPerSample: Int { Int(av_get_bytes_per_sample(native)) }
    /// Whether samples have more than 16 bits.
    package var isDeep: Bool { bytesPerSample > 2 }
    var isUnsigned: Bool { [AV_SAMPLE_FMT_U8, AV_SAMPLE_FMT_U8P].contains(native) }
    package var isFloat: Bool {
        [AV_SAMPLE_FMT_FLT, AV_SAMPLE_FMT_FLTP, AV_SAMPLE_FMT_DBL, AV_SAMPLE_FMT_DBLP].contains(native)
    }
}

/// The format of decoded samples.
package struct AudioFormat: Hashable, Sendable {
    package var samples: SampleFormat
    /// In Hz, above 0.
    package var rate: Int
    package var layout: ChannelLayout

    package init(samples: SampleFormat, rate: Int, layout: ChannelLayout) {
        self.samples = samples
        self.rate = rate
        self.layout = layout
    }

    /// One plane per channel, or a single plane for interleaved samples.
    package var planeCount: Int { samples.isPlanar ? layout.count : 1 }
    /// Bytes per sample within one plane.
    package var stride: Int { samples.isPlanar ? samples.bytesPerSample : samples.bytesPerSample * layout.count }
}

/// Decoded samples, immutable.
package struct SampleBlock: Sendable {
    /// `AudioFormat.planeCount` planes of `count * AudioFormat.stride` bytes.
    package let planes: [[UInt8]]
    /// Samples per channel.
    package let count: Int

    package init(planes: [[UInt8]], count: Int) {
        self.planes = planes
        self.count = count
    }
}
