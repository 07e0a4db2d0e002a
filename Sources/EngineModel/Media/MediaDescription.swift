// SPDX-License-Identifier: Apache-2.0

/// What a source contains. Pure description: nothing here decides how it is played.
public struct MediaDescription: Hashable, Sendable {
    public var source = ""
    /// libavformat's short name, such as `matroska,webm`.
    public var container = ""
    public var containerName = ""
    public var duration: MediaTime?
    /// Where the source's own clock starts, on that clock.
    public var start = MediaTime.zero
    public var byteCount: UInt64 = 0
    /// Bits per second. 0 when unknown.
    public var bitRate: UInt64 = 0
    public var streams: [StreamDescription] = []
    public var chapters: [Chapter] = []
    public var tags: [Tag] = []

    public init() {}
}

/// What a stream is for. Cover art is a picture that belongs to the file, not to its timeline.
public enum StreamKind: Hashable, Sendable, CaseIterable {
    case video, audio, subtitle, data, attachment, coverArt
}

/// One stream of a source.
public struct StreamDescription: Hashable, Sendable {
    public var index = 0
    public var kind = StreamKind.data
    public var codec = CodecID(rawValue: "none")
    public var codecName = ""
    public var profile = ""
    /// The RFC 6381 string that the playlist announces. Empty when the stream is not served.
    public var codecString = ""
    /// As the file has it. Empty when unknown.
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
    /// The pages of subtitles that a stream of teletext or of DVB subtitles announces, in its order.
    package var subtitlePages: [SubtitlePage] = []
    public var fileName = ""
    public var mimeType = ""
    /// Size of an attachment or a cover picture.
    public var payloadByteCount: UInt64 = 0
    public var route = Route.none("")
    /// What the player receives. `nil` when the stream is not served, or was only probed.
    public var delivery: Delivery?

    public init() {}

    public func has(disposition: String) -> Bool { dispositions.contains(disposition) }

    /// HDR10 that turns out to have dynamic metadata is HDR10+, in the source and as it is served.
    package mutating func noteDynamicMetadata() {
        video?.hasDynamicMetadata = true
        if video?.sourceVideoFormat == .hdr10 { video?.sourceVideoFormat = .hdr10Plus }
        if delivery?.videoFormat == .hdr10 { delivery?.videoFormat = .hdr10Plus }
    }
}

/// How a stream reaches the player, and why.
public enum Route: Hashable, Sendable {
    /// Its packets are served as they are, in another container.
    case remux(String)
    /// Sound that is decoded and encoded anew, because the player does not take the source's format.
    case bridge(String)
    /// The player cannot decode it and fMP4 cannot carry it; only the software path can play it.
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

    /// Whether it is played at all.
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

/// What a player receives of a stream that is served.
public struct Delivery: Hashable, Sendable {
    /// The codec in the segments: the source's own, or what it is bridged to.
    public var codec: CodecID
    /// The four-character code of the sample entry, such as `dvh1`.
    public var sampleEntry: String
    /// The RFC 6381 string of CODECS.
    public var codecString: String
    /// SUPPLEMENTAL-CODECS, such as `dvh1.08.06/db1p`. Empty when there is none.
    public var supplementalCodecs: String
    /// Sound as it is served. `nil` for video.
    public var audio: AudioProperties?
    /// `nil` for sound.
    public var videoFormat: VideoFormat?

    public init(codec: CodecID, sampleEntry: String, codecString: String, supplementalCodecs: String = "") {
        self.codec = codec
        self.sampleEntry = sampleEntry
        self.codecString = codecString
        self.supplementalCodecs = supplementalCodecs
    }
}

public struct VideoProperties: Hashable, Sendable {
    /// As it is decoded, before what the container cuts off.
    public var width = 0
    public var height = 0
    public var cropping = Cropping()
    /// 1:1 when the source says nothing.
    public var sampleAspectRatio = Ratio(1, 1)
    /// Frames per second. `nil` when the source does not say.
    public var frameRate: Ratio?
    public var pixelFormat = ""
    public var bitDepth = 8
    public var color = ColorDescription()
    /// As the pictures' parameter sets say it.
    public var codedColor = ColorDescription()
    /// Clockwise, in degrees: 0, 90, 180 or 270.
    public var rotation = 0
    /// What the source is: its container and its bitstream together.
    public var sourceVideoFormat = VideoFormat.sdr
    /// As the container declares it, put right where the pictures contradict it. `nil` when it is not Dolby Vision.
    public var dolbyVision: DolbyVisionConfiguration?
    public var masteringDisplay: MasteringDisplay?
    public var contentLight: ContentLight?
    /// Whether pictures carry dynamic metadata of SMPTE ST 2094-40 (HDR10+).
    public var hasDynamicMetadata = false
    /// chroma_format_idc of H.264 and HEVC: 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    public var chromaFormat = 1
    public var isInterlaced = false
    /// Whether the upper field of a picture comes first. `nil` when the pictures have no fields, or nothing says.
    public var isTopFieldFirst: Bool?
    /// Whether the pictures carry CEA-608/708 captions (ATSC A/53 part 4).
    public var hasClosedCaptions = false
    /// The captions found, as INSTREAM-ID names them: `CC1` to `CC4`, `SERVICE1`.
    public var captionChannels: [String] = []
    /// The captions that the container announces, in its order.
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
    /// Objects beside the channels, found in the bitstream.
    public var objects: ObjectAudio?

    public init() {}

    public var isAtmos: Bool {
        if case .dolbyAtmos = objects { true } else { false }
    }
}

/// Sound that is placed by objects beside its channels.
public enum ObjectAudio: Hashable, Sendable {
    /// E-AC-3 with joint object coding, or TrueHD with a fourth substream. The complexity index is that of ETSI TS 103 420
    /// §8.3.1; `nil` where the format has none.
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
}
