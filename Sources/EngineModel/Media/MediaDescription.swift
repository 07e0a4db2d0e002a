// SPDX-License-Identifier: Apache-2.0

/// The contents of a source, and the route of each of its streams.
public struct MediaDescription: Hashable, Sendable {
    public var source = ""
    /// libavformat's short name, such as `matroska,webm`.
    public var container = ""
    public var containerName = ""
    public var duration: MediaTime?
    /// The start of the source, on the source's own clock.
    public var start = MediaTime.zero
    public var byteCount: UInt64 = 0
    /// Bits per second. 0 when unknown.
    public var bitRate: UInt64 = 0
    public var streams: [StreamDescription] = []
    /// The programs of a transport stream, in the order in which it lists them. Empty for other containers.
    public var programs: [Program] = []
    /// The number of the program that is played, or that would be played. `nil` for a source without programs.
    public var program: Int?
    public var chapters: [Chapter] = []
    public var tags: [Tag] = []
    /// The tracks of the subtitle files that a load would find beside the source. Set only by a probe.
    public var subtitleFiles: [SubtitleTrack] = []
    /// In the order of the source. Empty for a source with only one form.
    public var variants: [SourceVariant] = []
    /// The titles of a disc, in the disc's order. Empty for other sources.
    public var titles: [DiscTitle] = []

    public init() {}
}

/// One title of a disc.
public struct DiscTitle: Hashable, Sendable {
    /// Counted from 1, without gaps.
    public var number: Int
    /// The title's name on the disc, such as `00800.mpls`.
    public var name: String
    public var duration: MediaTime
    public var chapterCount: Int
    public var angleCount: Int
    /// Whether this is the disc's main title.
    public var isMain = false
    /// Whether the description is of this title.
    public var isSelected = false

    public init(number: Int, name: String, duration: MediaTime, chapterCount: Int, angleCount: Int) {
        self.number = number
        self.name = name
        self.duration = duration
        self.chapterCount = chapterCount
        self.angleCount = angleCount
    }
}

/// The kind of a stream. A cover is a picture that belongs to the source, not to its timeline.
public enum StreamKind: Hashable, Sendable, CaseIterable {
    case video, audio, subtitle, data, attachment, coverArt
}

/// One stream of a source.
public struct StreamDescription: Hashable, Sendable {
    public var index = 0
    /// The packet identifier of a transport stream. 0 in other containers.
    public var pid = 0
    public var kind = StreamKind.data
    public var codec = CodecID(rawValue: "none")
    public var codecName = ""
    public var profile = ""
    /// The RFC 6381 string in the playlist. Empty if the stream is not served.
    public var codecString = ""
    /// As the source spells it. Empty if unknown.
    public var language = ""
    public var title = ""
    /// Words such as `default`, `forced`, `hearing_impaired` (`AV_DISPOSITION_*`).
    public var dispositions: [String] = []
    public var bitRate: UInt64 = 0
    public var start = MediaTime.zero
    public var duration: MediaTime?
    public var video: VideoProperties?
    public var audio: AudioProperties?
    public var tags: [Tag] = []
    /// The subtitle pages that a teletext or DVB subtitle stream announces, in stream order.
    package var subtitlePages: [SubtitlePage] = []
    public var fileName = ""
    public var mimeType = ""
    /// Size of an attachment or cover picture.
    public var payloadByteCount: UInt64 = 0
    public var route = Route.none("")
    /// The form in which the player receives the stream. `nil` if the stream is not served, or was only probed.
    public var delivery: Delivery?
    /// How the stream is encrypted. `nil` for a stream in the clear.
    public var protection: ContentProtection?

    public init() {}

    public func has(disposition: String) -> Bool { dispositions.contains(disposition) }

    /// Records that dynamic metadata was found: HDR10 becomes HDR10+, both for the source and as served.
    package mutating func noteDynamicMetadata() {
        video?.hasDynamicMetadata = true
        if video?.sourceVideoFormat == .hdr10 { video?.sourceVideoFormat = .hdr10Plus }
        if delivery?.videoFormat == .hdr10 { delivery?.videoFormat = .hdr10Plus }
    }
}

/// How a stream reaches the player, and why.
public enum Route: Hashable, Sendable {
    /// The packets are served unchanged, in another container.
    case remux(String)
    /// The stream is decoded and encoded again, because the player does not support its format or the load requests it.
    case bridge(String)
    /// The player cannot decode the stream or fMP4 cannot carry it; only the software path can play it.
    case software(String)
    /// Not served.
    case none(String)

    /// Whether the stream is part of the HLS output.
    public var isServed: Bool {
        switch self {
        case .remux, .bridge: true
        case .software, .none: false
        }
    }

    /// Whether the stream is played on any path.
    public var isPlayed: Bool {
        switch self {
        case .remux, .bridge, .software: true
        case .none: false
        }
    }

    /// The route's name on the wire.
    public var word: String {
        switch self {
        case .remux: "remux"
        case .bridge: "bridge"
        case .software: "software"
        case .none: "none"
        }
    }

    public var reason: String {
        switch self {
        case .remux(let reason), .bridge(let reason), .software(let reason), .none(let reason): reason
        }
    }
}

/// The form in which a player receives a stream.
public struct Delivery: Hashable, Sendable {
    /// The codec in the segments: the source's own, or the bridge's.
    public var codec: CodecID
    /// The four-character code of the sample entry, such as `dvh1`.
    public var sampleEntry: String
    /// The RFC 6381 string for CODECS.
    public var codecString: String
    /// SUPPLEMENTAL-CODECS, such as `dvh1.08.06/db1p`. Empty if there is none.
    public var supplementalCodecs: String
    /// The audio as served. `nil` for video.
    public var audio: AudioProperties?
    /// `nil` for audio.
    public var videoFormat: VideoFormat?

    public init(codec: CodecID, sampleEntry: String, codecString: String, supplementalCodecs: String = "") {
        self.codec = codec
        self.sampleEntry = sampleEntry
        self.codecString = codecString
        self.supplementalCodecs = supplementalCodecs
    }
}

public struct VideoProperties: Hashable, Sendable {
    /// As decoded, before the container's cropping.
    public var width = 0
    public var height = 0
    public var cropping = Cropping()
    /// 1:1 if the source does not specify one.
    public var sampleAspectRatio = Ratio(1, 1)
    /// Frames per second. `nil` if the source does not specify it.
    public var frameRate: Ratio?
    public var pixelFormat = ""
    public var bitDepth = 8
    public var color = ColorDescription()
    /// The colour description from the bitstream's parameter sets.
    public var codedColor = ColorDescription()
    /// Clockwise, in degrees: 0, 90, 180 or 270.
    public var rotation = 0
    /// The format of the source, from its container and its bitstream together.
    public var sourceVideoFormat = VideoFormat.sdr
    /// As the container declares it, corrected where the bitstream contradicts it. `nil` if the stream is not Dolby
    /// Vision.
    public var dolbyVision: DolbyVisionConfiguration?
    public var masteringDisplay: MasteringDisplay?
    public var contentLight: ContentLight?
    /// Whether the video carries dynamic metadata of SMPTE ST 2094-40 (HDR10+).
    public var hasDynamicMetadata = false
    /// chroma_format_idc of H.264 and HEVC: 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    public var chromaFormat = 1
    public var isInterlaced = false
    /// Whether the top field comes first. `nil` if the video is progressive or the field order is unknown.
    public var isTopFieldFirst: Bool?
    /// Whether the video carries CEA-608/708 captions (ATSC A/53 part 4).
    public var hasClosedCaptions = false
    /// The captions found, in the syntax of INSTREAM-ID: `CC1` to `CC4`, `SERVICE1`.
    public var captionChannels: [String] = []
    /// The captions that the container announces, in container order.
    package var captionServices: [CaptionService] = []

    public init() {}
}

/// Code points of ITU-T H.273, as containers and bitstreams carry them. 2 means unspecified.
public struct ColorDescription: Hashable, Sendable {
    public var primaries = 2
    public var transfer = 2
    public var matrix = 2
    public var isFullRange = false

    public init(primaries: Int = 2, transfer: Int = 2, matrix: Int = 2, isFullRange: Bool = false) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    public var isSpecified: Bool { primaries != 2 || transfer != 2 || matrix != 2 }
}

public struct AudioProperties: Hashable, Sendable {
    public var sampleRate = 0
    public var channels = 0
    /// libavutil's name, such as `5.1(side)`.
    public var channelLayout = ""
    public var bitDepth = 0
    /// Audio objects in addition to the channels, as found in the bitstream.
    public var objects: ObjectAudio?

    public init() {}

    public var isAtmos: Bool {
        if case .dolbyAtmos = objects { true } else { false }
    }
}

/// Object-based audio in addition to the channels.
public enum ObjectAudio: Hashable, Sendable {
    /// E-AC-3 with joint object coding, or TrueHD with a fourth substream. The complexity index is defined in ETSI TS
    /// 103 420 §8.3.1; `nil` where the format has none.
    case dolbyAtmos(complexity: Int?)
    case dtsX

    /// The name on the wire.
    public var word: String {
        switch self {
        case .dolbyAtmos: "dolby_atmos"
        case .dtsX: "dts_x"
        }
    }
}

public struct Chapter: Hashable, Sendable {
    public var start: MediaTime
    public var end: MediaTime
    public var title: String

    public init(start: MediaTime, end: MediaTime, title: String) {
        self.start = start
        self.end = end
        self.title = title
    }
}

public struct Tag: Hashable, Sendable {
    public var key: String
    public var value: String

    public init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }
}

/// A fraction, such as a frame rate or an aspect ratio.
public struct Ratio: Hashable, Sendable {
    public var numerator: Int
    public var denominator: Int

    public init(_ numerator: Int, _ denominator: Int) {
        self.numerator = numerator
        self.denominator = denominator
    }

    public var value: Double { denominator == 0 ? 0 : Double(numerator) / Double(denominator) }

    /// In lowest terms. Returned unchanged unless both parts are positive.
    package var reduced: Ratio {
        guard numerator > 0, denominator > 0 else { return self }
        var (larger, smaller) = (numerator, denominator)
        while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
        return Ratio(numerator / larger, denominator / larger)
    }
}
