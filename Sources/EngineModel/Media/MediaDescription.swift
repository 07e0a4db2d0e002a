// SPDX-License-Identifier: Apache-2.0

/// What a source contains. Pure description: nothing here decides how it is played.
package struct MediaDescription: Hashable, Sendable {
    package var source = ""
    /// libavformat's short name, such as `matroska,webm`.
    package var container = ""
    package var containerName = ""
    package var duration: MediaTime?
    /// Where the source's own clock starts, on that clock.
    package var start = MediaTime.zero
    package var byteCount: UInt64 = 0
    /// Bits per second. 0 when unknown.
    package var bitRate: UInt64 = 0
    package var streams: [StreamDescription] = []
    package var chapters: [Chapter] = []
    package var tags: [Tag] = []

    package init() {}
}

/// What a stream is for. Cover art is a picture that belongs to the file, not to its timeline.
package enum StreamKind: Hashable, Sendable, CaseIterable {
    case video, audio, subtitle, data, attachment, coverArt
}

/// One stream of a source.
package struct StreamDescription: Hashable, Sendable {
    package var index = 0
    package var kind = StreamKind.data
    package var codec = CodecID(rawValue: "none")
    package var codecName = ""
    package var profile = ""
    /// The RFC 6381 string that the playlist announces. Empty when the stream is not served.
    package var codecString = ""
    /// As the file has it. Empty when unknown.
    package var language = ""
    package var title = ""
    /// Words such as `default`, `forced`, `hearing_impaired` (`AV_DISPOSITION_*`).
    package var dispositions: [String] = []
    package var bitRate: UInt64 = 0
    package var start = MediaTime.zero
    package var duration: MediaTime?
    package var video: VideoProperties?
    package var audio: AudioProperties?
    package var tags: [Tag] = []
    /// The pages of subtitles that a stream of teletext or of DVB subtitles announces, in its order.
    package var subtitlePages: [SubtitlePage] = []
    package var fileName = ""
    package var mimeType = ""
    /// Size of an attachment or a cover picture.
    package var payloadByteCount: UInt64 = 0
    package var route = Route.none("")
    /// What the player receives. `nil` when the stream is not served, or was only probed.
    package var delivery: Delivery?

    package init() {}

    package func has(disposition: String) -> Bool { dispositions.contains(disposition) }

    /// HDR10 that turns out to have dynamic metadata is HDR10+, in the source and as it is served.
    package mutating func noteDynamicMetadata() {
        video?.hasDynamicMetadata = true
        if video?.sourceVideoFormat == .hdr10 { video?.sourceVideoFormat = .hdr10Plus }
        if delivery?.videoFormat == .hdr10 { delivery?.videoFormat = .hdr10Plus }
    }
}

/// A page of subtitles in a stream that may hold several.
package struct SubtitlePage: Hashable, Sendable {
    /// Of teletext 100 … 899; of DVB subtitles the composition page.
    package var number: Int
    /// As the source has it. Empty when unknown.
    package var language: String
    package var isForHearingImpaired: Bool

    package init(number: Int, language: String, isForHearingImpaired: Bool) {
        self.number = number
        self.language = language
        self.isForHearingImpaired = isForHearingImpaired
    }
}

/// How a stream reaches the player, and why.
package enum Route: Hashable, Sendable {
    /// Its packets are served as they are, in another container.
    case remux(String)
    /// Sound that is decoded and encoded anew, because the player does not take the source's format.
    case bridge(String)
    /// The player cannot decode it and fMP4 cannot carry it; only the software path can play it.
    case software(String)
    /// Not served.
    case none(String)

    /// Whether the stream is part of the HLS output.
    package var isServed: Bool {
        switch self {
        case .remux, .bridge: true
        case .software, .none: false
        }
    }

    /// The route's name on the wire.
    package var word: String {
        switch self {
        case .remux: "remux"
        case .bridge: "bridge"
        case .software: "software"
        case .none: "none"
        }
    }

    package var reason: String {
        switch self {
        case .remux(let reason), .bridge(let reason), .software(let reason), .none(let reason): reason
        }
    }
}

/// What a player receives of a stream that is served.
package struct Delivery: Hashable, Sendable {
    /// The codec in the segments: the source's own, or what it is bridged to.
    package var codec: CodecID
    /// The four-character code of the sample entry, such as `dvh1`.
    package var sampleEntry: String
    /// The RFC 6381 string of CODECS.
    package var codecString: String
    /// SUPPLEMENTAL-CODECS, such as `dvh1.08.06/db1p`. Empty when there is none.
    package var supplementalCodecs: String
    /// Sound as it is served. `nil` for video.
    package var audio: AudioProperties?
    /// `nil` for sound.
    package var videoFormat: VideoFormat?

    package init(codec: CodecID, sampleEntry: String, codecString: String, supplementalCodecs: String = "") {
        self.codec = codec
        self.sampleEntry = sampleEntry
        self.codecString = codecString
        self.supplementalCodecs = supplementalCodecs
    }
}

package struct VideoProperties: Hashable, Sendable {
    /// As it is decoded, before what the container cuts off.
    package var width = 0
    package var height = 0
    package var cropping = Cropping()
    /// 1:1 when the source says nothing.
    package var sampleAspectRatio = Ratio(1, 1)
    /// Frames per second. `nil` when the source does not say.
    package var frameRate: Ratio?
    package var pixelFormat = ""
    package var bitDepth = 8
    package var color = ColorDescription()
    /// As the pictures' parameter sets say it.
    package var codedColor = ColorDescription()
    /// Clockwise, in degrees: 0, 90, 180 or 270.
    package var rotation = 0
    /// What the source is: its container and its bitstream together.
    package var sourceVideoFormat = VideoFormat.sdr
    /// As the container declares it, put right where the pictures contradict it. `nil` when it is not Dolby Vision.
    package var dolbyVision: DolbyVisionConfiguration?
    package var masteringDisplay: MasteringDisplay?
    package var contentLight: ContentLight?
    /// Whether pictures carry dynamic metadata of SMPTE ST 2094-40 (HDR10+).
    package var hasDynamicMetadata = false
    /// chroma_format_idc of H.264 and HEVC: 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    package var chromaFormat = 1
    package var isInterlaced = false
    /// Whether the upper field of a picture comes first. `nil` when the pictures have no fields, or nothing says.
    package var isTopFieldFirst: Bool?
    /// Whether the pictures carry CEA-608/708 captions (ATSC A/53 part 4).
    package var hasClosedCaptions = false
    /// The captions found, as INSTREAM-ID names them: `CC1` to `CC4`, `SERVICE1`.
    package var captionChannels: [String] = []

    package init() {}
}

/// Code points of ITU-T H.273, as containers and bitstreams carry them. 2 means unspecified.
package struct ColorDescription: Hashable, Sendable {
    package var primaries = 2
    package var transfer = 2
    package var matrix = 2
    package var isFullRange = false

    package init(primaries: Int = 2, transfer: Int = 2, matrix: Int = 2, isFullRange: Bool = false) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    package var isSpecified: Bool { primaries != 2 || transfer != 2 || matrix != 2 }
}

package struct AudioProperties: Hashable, Sendable {
    package var sampleRate = 0
    package var channels = 0
    /// libavutil's name, such as `5.1(side)`.
    package var channelLayout = ""
    package var bitDepth = 0
    /// Objects beside the channels, found in the bitstream.
    package var objects: ObjectAudio?

    package init() {}

    package var isAtmos: Bool {
        if case .dolbyAtmos = objects { true } else { false }
    }
}

/// Sound that is placed by objects beside its channels.
package enum ObjectAudio: Hashable, Sendable {
    /// E-AC-3 with joint object coding, or TrueHD with a fourth substream. The complexity index is that of ETSI TS 103 420
    /// §8.3.1; `nil` where the format has none.
    case dolbyAtmos(complexity: Int?)
    case dtsX

    /// The name on the wire.
    package var word: String {
        switch self {
        case .dolbyAtmos: "dolby_atmos"
        case .dtsX: "dts_x"
        }
    }
}

package struct Chapter: Hashable, Sendable {
    package var start: MediaTime
    package var end: MediaTime
    package var title: String

    package init(start: MediaTime, end: MediaTime, title: String) {
        self.start = start
        self.end = end
        self.title = title
    }
}

package struct Tag: Hashable, Sendable {
    package var key: String
    package var value: String

    package init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }
}

/// A fraction, such as a frame rate or an aspect ratio.
package struct Ratio: Hashable, Sendable {
    package var numerator: Int
    package var denominator: Int

    package init(_ numerator: Int, _ denominator: Int) {
        self.numerator = numerator
        self.denominator = denominator
    }

    package var value: Double { denominator == 0 ? 0 : Double(numerator) / Double(denominator) }
}
