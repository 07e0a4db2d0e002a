// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// The properties of a stream, beyond its description, that are needed to package its samples.
package struct StreamInfo: Sendable {
    package private(set) var index: Int
    /// The container's ID for the stream (`AVStream.id`); in MPEG-TS its PID.
    package let identifier: Int
    package let codec: CodecID
    package let kind: StreamKind
    package private(set) var timeBase: TimeBase
    /// Codec configuration as stored in the container (`AVCodecParameters.extradata`). Empty for an attachment:
    /// libavformat stores the attached file there, which `embeddedFile` returns.
    package let extradata: [UInt8]
    /// How much audio at the start of the stream is decoded but not presented, in ticks of the stream.
    package let initialPadding: Int64
    /// Samples per coded frame; 0 if unknown.
    package let frameLength: Int
    /// The declared start of the stream, in its ticks.
    package let startTime: Int64?
    /// The declared duration of the stream, in its ticks.
    package let duration: Int64?
    /// In pixels; 0 if unknown.
    package let width: Int
    package let height: Int

    /// The same stream with another index, for a source that consists of several containers.
    package func numbered(_ index: Int) -> StreamInfo {
        var info = self
        info.index = index
        return info
    }

    /// The same stream with another index, for packets whose times are in ticks of another time base.
    package func numbered(_ index: Int, in timeBase: TimeBase) -> StreamInfo {
        var info = numbered(index)
        info.timeBase = timeBase
        return info
    }
}

extension FormatContext {
    /// The streams in file order. C strings and byte arrays are copied; no pointer into C is kept.
    package func streamInfos() -> [StreamInfo] {
        (0..<streamCount).compactMap { index in
            guard let stream = unsafe pointer.pointee.streams[index] else { return nil }
            guard let parameters = unsafe stream.pointee.codecpar else { return nil }
            let base = unsafe timeBase(of: stream)
            let isAttachment = unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_ATTACHMENT
            let configuredCount = isAttachment ? 0 : Int(unsafe parameters.pointee.extradata_size)
            return unsafe StreamInfo(
                index: index,
                identifier: Int(stream.pointee.id),
                codec: codecID(of: stream),
                kind: streamKind(of: stream),
                timeBase: base,
                extradata: copiedBytes(parameters.pointee.extradata, count: configuredCount),
                initialPadding: initialPadding(of: parameters, in: base),
                frameLength: Int(parameters.pointee.frame_size),
                startTime: stream.pointee.start_time.timestamp,
                duration: stream.pointee.duration.timestamp,
                width: Int(parameters.pointee.width),
                height: Int(parameters.pointee.height)
            )
        }
    }
}

/// `AVStream.time_base`, with 1 in place of an invalid number.
private func timeBase(of stream: UnsafeMutablePointer<AVStream>) -> TimeBase {
    let base = unsafe stream.pointee.time_base
    return TimeBase(Int64(max(base.num, 1)), Int64(max(base.den, 1)))
}

/// `AVCodecParameters.initial_padding` in ticks. It counts samples at the rate of the stream, for Opus at 48 kHz (RFC 7845 §4.2).
private func initialPadding(of parameters: UnsafePointer<AVCodecParameters>, in base: TimeBase) -> Int64 {
    let isOpus = unsafe parameters.pointee.codec_id == AV_CODEC_ID_OPUS
    let rate = unsafe parameters.pointee.sample_rate
    let samples = unsafe Int64(parameters.pointee.initial_padding)
    return TimeBase.hertz(isOpus || rate <= 0 ? 48_000 : Int64(rate)).rescale(samples, to: base)
}

/// Copies at most `limit` bytes. No configuration record exceeds 16 MiB.
func copiedBytes(_ start: UnsafePointer<UInt8>?, count: Int, limit: Int = 16 << 20) -> [UInt8] {
    guard let start = unsafe start, count > 0 else { return [] }
    return unsafe [UInt8](UnsafeBufferPointer(start: start, count: min(count, limit)))
}

/// libavcodec's name for the codec. For CTA-708 captions in their own track it has none, so the engine uses `eia_708`.
func codecID(of stream: UnsafeMutablePointer<AVStream>) -> CodecID {
    guard let parameters = unsafe stream.pointee.codecpar else { return CodecID(rawValue: "none") }
    // `c708`
    if unsafe parameters.pointee.codec_id == AV_CODEC_ID_NONE, unsafe parameters.pointee.codec_tag == 0x3830_3763 {
        return CodecID(rawValue: "eia_708")
    }
    return unsafe CodecID(rawValue: String(cString: avcodec_get_name(parameters.pointee.codec_id)))
}

func streamKind(of stream: UnsafeMutablePointer<AVStream>) -> StreamKind {
    if unsafe stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 { return .coverArt }
    return switch unsafe stream.pointee.codecpar.pointee.codec_type {
    case AVMEDIA_TYPE_VIDEO: .video
    case AVMEDIA_TYPE_AUDIO: .audio
    case AVMEDIA_TYPE_SUBTITLE: .subtitle
    case AVMEDIA_TYPE_ATTACHMENT: .attachment
    default: .data
    }
}
