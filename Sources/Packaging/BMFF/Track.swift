// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// One track as its init segment describes it. Segments carry a single track, as in CMAF, so its id is always 1.
///
/// Times are ticks of `timescale` on the session's timeline, which starts at 0.
package struct Track: Hashable, Sendable {
    package static let id: UInt32 = 1

    package var codec: CodecID
    package var timescale: UInt32
    /// The payload of the codec's configuration box (`avcC`, `hvcC`, `av1C`, `vpcC`, `dac3`, `dec3`, `dfLa`, `alac`,
    /// `dOps`), or the AudioSpecificConfig of an `esds`. Empty if the codec has none.
    package var configuration: [UInt8]
    /// The RFC 6381 string for CODECS.
    package var codecString: String
    package var video: VideoProperties?
    package var audio: AudioProperties?
    /// As the source spells it. `mdhd` carries it as ISO 639-2/T.
    package var language: String
    /// How far media time is ahead of the timeline: the reorder delay of video, plus any media before time 0. 0 means
    /// no edit list. The same for the whole source, so the init segment does not depend on where playback started.
    package var mediaTimeOffset: Int64
    /// The sample entry of video. `nil` for audio, and for the codec's default entry.
    package var videoEntry: VideoEntry?
    /// The Dolby Vision record to write. `nil` if Dolby Vision is not signalled.
    package var dolbyVision: DolbyVisionConfiguration?
    /// An element of SUPPLEMENTAL-CODECS, such as `dvh1.08.06/db1p`. Empty if there is none.
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

    /// The form in which a player receives this track.
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
    /// In ticks of media time, that is, with the track's `mediaTimeOffset` added. Never negative.
    package var decodeTime: Int64
    /// Presentation time minus decode time. Negative only if a stream reorders more deeply than it declares.
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
