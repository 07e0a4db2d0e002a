// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// One track as its init segment describes it. Segments carry a single track, the CMAF way, so its id is always 1.
///
/// Times are ticks of `timescale` on the session's timeline, which starts at 0.
package struct Track: Hashable, Sendable {
    package static let id: UInt32 = 1

    package var codec: CodecID
    package var timescale: UInt32
    /// The payload of the codec's configuration box (`avcC`, `hvcC`, `av1C`, `vpcC`, `dac3`, `dec3`, `dfLa`, `alac`,
    /// `dOps`), or the AudioSpecificConfig of an `esds`; empty where the codec has none.
    package var configuration: [UInt8]
    /// The RFC 6381 string for CODECS.
    package var codecString: String
    package var video: VideoProperties?
    package var audio: AudioProperties?
    /// As the source has it; written as ISO 639-2/T in `mdhd`.
    package var language: String
    /// How far media time runs ahead of the timeline: the reorder delay of video, and whatever a track has before 0.
    /// 0 means no edit list. The same for the whole source, so `init` does not depend on where playback began.
    package var mediaTimeOffset: Int64
    /// `nil` for sound, and for the codec's usual entry.
    package var videoEntry: VideoEntry?
    /// The record that is written. `nil` where no Dolby Vision is signalled.
    package var dolbyVision: DolbyVisionConfiguration?
    /// An element of SUPPLEMENTAL-CODECS, such as `dvh1.08.06/db1p`. Empty when there is none.
    package var supplementalCodecs = ""

    package init(codec: CodecID, timescale: UInt32) {
        self.codec = codec
        self.timescale = timescale
        configuration = []
        codecString = ""
        language = ""
        mediaTimeOffset = 0
    }

    package var timeBase: TimeBase { .hertz(Int64(timescale)) }

    /// What a player receives of the track.
    package var delivery: Delivery {
        var delivery = Delivery(
            codec: codec,
            sampleEntry: String(codecString.prefix { $0 != "." }),
            codecString: codecString
        )
        delivery.audio = audio
        delivery.videoFormat = video?.sourceVideoFormat
        return delivery
    }
}

/// One sample of a media segment.
package struct Sample: Sendable {
    /// Ticks on the media time axis, that is, with the track's `mediaTimeOffset` added. Never negative.
    package var decodeTime: Int64
    /// Presentation minus decode time. Negative only where a stream reorders deeper than it declares.
    package var compositionOffset: Int32
    package var duration: UInt32
    package var isSync: Bool
    package var payload: any ByteRegion

    package init(decodeTime: Int64, compositionOffset: Int32, duration: UInt32, isSync: Bool, payload: any ByteRegion) {
        self.decodeTime = decodeTime
        self.compositionOffset = compositionOffset
        self.duration = duration
        self.isSync = isSync
        self.payload = payload
    }
}
