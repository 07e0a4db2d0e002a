// Generated from engine/v1/media.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct StreamKind: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let video = Self(rawValue: 1)
        static let audio = Self(rawValue: 2)
        static let subtitle = Self(rawValue: 3)
        static let data = Self(rawValue: 4)
        static let attachment = Self(rawValue: 5)
        static let coverArt = Self(rawValue: 6)
    }
}

extension Proto {
    struct MediaDescription: Equatable, Sendable {
        var source: String = ""
        var container: String = ""
        var containerName: String = ""
        var durationMicroseconds: Int64 = 0
        var startMicroseconds: Int64 = 0
        var byteCount: UInt64 = 0
        var bitRate: UInt64 = 0
        var streams: [Proto.MediaStream] = []
        var chapters: [Proto.Chapter] = []
        var tags: [Proto.Tag] = []
        var subtitleFiles: [Proto.SubtitleTrack] = []
        var variants: [Proto.MediaVariant] = []
        var programs: [Proto.Program] = []
        var program: UInt32 = 0
        var titles: [Proto.DiscTitle] = []
    }
}

extension Proto.MediaDescription: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.mediaDescription) }

    init(reading reader: borrowing FieldReader) {
        source = reader.text(at: 1)
        container = reader.text(at: 2)
        containerName = reader.text(at: 3)
        durationMicroseconds = reader.number(at: 4)
        startMicroseconds = reader.number(at: 5)
        byteCount = reader.number(at: 6)
        bitRate = reader.number(at: 7)
        streams = reader.messages(at: 8)
        chapters = reader.messages(at: 9)
        tags = reader.messages(at: 10)
        subtitleFiles = reader.messages(at: 11)
        variants = reader.messages(at: 20)
        programs = reader.messages(at: 12)
        program = reader.number(at: 13)
        titles = reader.messages(at: 21)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(source, at: 1)
        writer.text(container, at: 2)
        writer.text(containerName, at: 3)
        writer.number(durationMicroseconds, at: 4)
        writer.number(startMicroseconds, at: 5)
        writer.number(byteCount, at: 6)
        writer.number(bitRate, at: 7)
        writer.messages(streams, at: 8)
        writer.messages(chapters, at: 9)
        writer.messages(tags, at: 10)
        writer.messages(subtitleFiles, at: 11)
        writer.messages(variants, at: 20)
        writer.messages(programs, at: 12)
        writer.number(program, at: 13)
        writer.messages(titles, at: 21)
    }
}

extension Proto {
    struct MediaVariant: Equatable, Sendable {
        var index: UInt32 = 0
        var name: String = ""
        var bandwidth: Int64 = 0
        var averageBandwidth: Int64 = 0
        var width: UInt32 = 0
        var height: UInt32 = 0
        var frameRate: Double = 0
        var codecs: [String] = []
        var videoRange: String = ""
        var use: String = ""
        var reason: String = ""
    }
}

extension Proto.MediaVariant: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.mediaVariant) }

    init(reading reader: borrowing FieldReader) {
        index = reader.number(at: 1)
        name = reader.text(at: 2)
        bandwidth = reader.number(at: 3)
        averageBandwidth = reader.number(at: 4)
        width = reader.number(at: 5)
        height = reader.number(at: 6)
        frameRate = reader.number(at: 7)
        codecs = reader.texts(at: 8)
        videoRange = reader.text(at: 9)
        use = reader.text(at: 10)
        reason = reader.text(at: 11)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(index, at: 1)
        writer.text(name, at: 2)
        writer.number(bandwidth, at: 3)
        writer.number(averageBandwidth, at: 4)
        writer.number(width, at: 5)
        writer.number(height, at: 6)
        writer.number(frameRate, at: 7)
        writer.texts(codecs, at: 8)
        writer.text(videoRange, at: 9)
        writer.text(use, at: 10)
        writer.text(reason, at: 11)
    }
}

extension Proto {
    struct DiscTitle: Equatable, Sendable {
        var number: UInt32 = 0
        var name: String = ""
        var durationMicroseconds: Int64 = 0
        var chapters: UInt32 = 0
        var angles: UInt32 = 0
        var main: Bool = false
        var selected: Bool = false
    }
}

extension Proto.DiscTitle: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.discTitle) }

    init(reading reader: borrowing FieldReader) {
        number = reader.number(at: 1)
        name = reader.text(at: 2)
        durationMicroseconds = reader.number(at: 3)
        chapters = reader.number(at: 4)
        angles = reader.number(at: 5)
        main = reader.flag(at: 6)
        selected = reader.flag(at: 7)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(number, at: 1)
        writer.text(name, at: 2)
        writer.number(durationMicroseconds, at: 3)
        writer.number(chapters, at: 4)
        writer.number(angles, at: 5)
        writer.flag(main, at: 6)
        writer.flag(selected, at: 7)
    }
}

extension Proto {
    struct MediaStream: Equatable, Sendable {
        var index: UInt32 = 0
        var kind: Proto.StreamKind = Proto.StreamKind(rawValue: 0)
        var codec: String = ""
        var codecName: String = ""
        var profile: String = ""
        var codecString: String = ""
        var language: String = ""
        var title: String = ""
        var dispositions: [String] = []
        var bitRate: UInt64 = 0
        var startMicroseconds: Int64 = 0
        var durationMicroseconds: Int64 = 0
        var video: Proto.VideoProperties?
        var audio: Proto.AudioProperties?
        var tags: [Proto.Tag] = []
        var fileName: String = ""
        var mimeType: String = ""
        var payloadBytes: UInt64 = 0
        var route: String = ""
        var routeReason: String = ""
        var delivery: Proto.Delivery?
        var protection: Proto.ContentProtection?
        var pid: UInt32 = 0
    }
}

extension Proto.MediaStream: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.mediaStream) }

    init(reading reader: borrowing FieldReader) {
        index = reader.number(at: 1)
        kind = reader.choice(at: 2)
        codec = reader.text(at: 3)
        codecName = reader.text(at: 4)
        profile = reader.text(at: 5)
        codecString = reader.text(at: 6)
        language = reader.text(at: 7)
        title = reader.text(at: 8)
        dispositions = reader.texts(at: 9)
        bitRate = reader.number(at: 10)
        startMicroseconds = reader.number(at: 11)
        durationMicroseconds = reader.number(at: 12)
        video = reader.message(at: 13)
        audio = reader.message(at: 14)
        tags = reader.messages(at: 15)
        fileName = reader.text(at: 16)
        mimeType = reader.text(at: 17)
        payloadBytes = reader.number(at: 18)
        route = reader.text(at: 19)
        routeReason = reader.text(at: 20)
        delivery = reader.message(at: 21)
        protection = reader.message(at: 22)
        pid = reader.number(at: 23)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(index, at: 1)
        writer.choice(kind, at: 2)
        writer.text(codec, at: 3)
        writer.text(codecName, at: 4)
        writer.text(profile, at: 5)
        writer.text(codecString, at: 6)
        writer.text(language, at: 7)
        writer.text(title, at: 8)
        writer.texts(dispositions, at: 9)
        writer.number(bitRate, at: 10)
        writer.number(startMicroseconds, at: 11)
        writer.number(durationMicroseconds, at: 12)
        writer.message(video, at: 13)
        writer.message(audio, at: 14)
        writer.messages(tags, at: 15)
        writer.text(fileName, at: 16)
        writer.text(mimeType, at: 17)
        writer.number(payloadBytes, at: 18)
        writer.text(route, at: 19)
        writer.text(routeReason, at: 20)
        writer.message(delivery, at: 21)
        writer.message(protection, at: 22)
        writer.number(pid, at: 23)
    }
}

extension Proto {
    struct ContentProtection: Equatable, Sendable {
        var scheme: String = ""
        var keySystems: [String] = []
        var keyID: String = ""
    }
}

extension Proto.ContentProtection: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.contentProtection) }

    init(reading reader: borrowing FieldReader) {
        scheme = reader.text(at: 1)
        keySystems = reader.texts(at: 2)
        keyID = reader.text(at: 3)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(scheme, at: 1)
        writer.texts(keySystems, at: 2)
        writer.text(keyID, at: 3)
    }
}

extension Proto {
    struct Delivery: Equatable, Sendable {
        var codec: String = ""
        var sampleEntry: String = ""
        var codecString: String = ""
        var supplementalCodecs: String = ""
        var audio: Proto.AudioProperties?
        var videoFormat: String = ""
    }
}

extension Proto.Delivery: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.delivery) }

    init(reading reader: borrowing FieldReader) {
        codec = reader.text(at: 1)
        sampleEntry = reader.text(at: 2)
        codecString = reader.text(at: 3)
        supplementalCodecs = reader.text(at: 4)
        audio = reader.message(at: 5)
        videoFormat = reader.text(at: 6)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(codec, at: 1)
        writer.text(sampleEntry, at: 2)
        writer.text(codecString, at: 3)
        writer.text(supplementalCodecs, at: 4)
        writer.message(audio, at: 5)
        writer.text(videoFormat, at: 6)
    }
}

extension Proto {
    struct VideoProperties: Equatable, Sendable {
        var width: UInt32 = 0
        var height: UInt32 = 0
        var sampleAspectNum: UInt32 = 0
        var sampleAspectDen: UInt32 = 0
        var frameRateNum: UInt32 = 0
        var frameRateDen: UInt32 = 0
        var pixelFormat: String = ""
        var bitDepth: UInt32 = 0
        var colorPrimaries: String = ""
        var colorTransfer: String = ""
        var colorMatrix: String = ""
        var fullRange: Bool = false
        var rotation: UInt32 = 0
        var videoFormat: String = ""
        var interlaced: Bool = false
        var masteringDisplay: Proto.MasteringDisplay?
        var contentLight: Proto.ContentLight?
        var dolbyVision: Proto.DolbyVisionRecord?
        var closedCaptions: Bool = false
        var captionChannels: [String] = []
        var fieldOrder: String = ""
        var chromaFormat: UInt32 = 0
        var cropLeft: UInt32 = 0
        var cropTop: UInt32 = 0
        var cropRight: UInt32 = 0
        var cropBottom: UInt32 = 0
    }
}

extension Proto.VideoProperties: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.videoProperties) }

    init(reading reader: borrowing FieldReader) {
        width = reader.number(at: 1)
        height = reader.number(at: 2)
        sampleAspectNum = reader.number(at: 3)
        sampleAspectDen = reader.number(at: 4)
        frameRateNum = reader.number(at: 5)
        frameRateDen = reader.number(at: 6)
        pixelFormat = reader.text(at: 7)
        bitDepth = reader.number(at: 8)
        colorPrimaries = reader.text(at: 9)
        colorTransfer = reader.text(at: 10)
        colorMatrix = reader.text(at: 11)
        fullRange = reader.flag(at: 12)
        rotation = reader.number(at: 13)
        videoFormat = reader.text(at: 14)
        interlaced = reader.flag(at: 15)
        masteringDisplay = reader.message(at: 16)
        contentLight = reader.message(at: 17)
        dolbyVision = reader.message(at: 18)
        closedCaptions = reader.flag(at: 19)
        captionChannels = reader.texts(at: 20)
        fieldOrder = reader.text(at: 21)
        chromaFormat = reader.number(at: 22)
        cropLeft = reader.number(at: 23)
        cropTop = reader.number(at: 24)
        cropRight = reader.number(at: 25)
        cropBottom = reader.number(at: 26)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(width, at: 1)
        writer.number(height, at: 2)
        writer.number(sampleAspectNum, at: 3)
        writer.number(sampleAspectDen, at: 4)
        writer.number(frameRateNum, at: 5)
        writer.number(frameRateDen, at: 6)
        writer.text(pixelFormat, at: 7)
        writer.number(bitDepth, at: 8)
        writer.text(colorPrimaries, at: 9)
        writer.text(colorTransfer, at: 10)
        writer.text(colorMatrix, at: 11)
        writer.flag(fullRange, at: 12)
        writer.number(rotation, at: 13)
        writer.text(videoFormat, at: 14)
        writer.flag(interlaced, at: 15)
        writer.message(masteringDisplay, at: 16)
        writer.message(contentLight, at: 17)
        writer.message(dolbyVision, at: 18)
        writer.flag(closedCaptions, at: 19)
        writer.texts(captionChannels, at: 20)
        writer.text(fieldOrder, at: 21)
        writer.number(chromaFormat, at: 22)
        writer.number(cropLeft, at: 23)
        writer.number(cropTop, at: 24)
        writer.number(cropRight, at: 25)
        writer.number(cropBottom, at: 26)
    }
}

extension Proto {
    struct AudioProperties: Equatable, Sendable {
        var sampleRate: UInt32 = 0
        var channels: UInt32 = 0
        var channelLayout: String = ""
        var bitDepth: UInt32 = 0
        var objects: String = ""
        var isAtmos: Bool = false
        var atmosComplexity: UInt32 = 0
    }
}

extension Proto.AudioProperties: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.audioProperties) }

    init(reading reader: borrowing FieldReader) {
        sampleRate = reader.number(at: 1)
        channels = reader.number(at: 2)
        channelLayout = reader.text(at: 3)
        bitDepth = reader.number(at: 4)
        objects = reader.text(at: 5)
        isAtmos = reader.flag(at: 6)
        atmosComplexity = reader.number(at: 7)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(sampleRate, at: 1)
        writer.number(channels, at: 2)
        writer.text(channelLayout, at: 3)
        writer.number(bitDepth, at: 4)
        writer.text(objects, at: 5)
        writer.flag(isAtmos, at: 6)
        writer.number(atmosComplexity, at: 7)
    }
}

extension Proto {
    struct MasteringDisplay: Equatable, Sendable {
        var redX: UInt32 = 0
        var redY: UInt32 = 0
        var greenX: UInt32 = 0
        var greenY: UInt32 = 0
        var blueX: UInt32 = 0
        var blueY: UInt32 = 0
        var whiteX: UInt32 = 0
        var whiteY: UInt32 = 0
        var maxLuminance: UInt32 = 0
        var minLuminance: UInt32 = 0
    }
}

extension Proto.MasteringDisplay: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.masteringDisplay) }

    init(reading reader: borrowing FieldReader) {
        redX = reader.number(at: 1)
        redY = reader.number(at: 2)
        greenX = reader.number(at: 3)
        greenY = reader.number(at: 4)
        blueX = reader.number(at: 5)
        blueY = reader.number(at: 6)
        whiteX = reader.number(at: 7)
        whiteY = reader.number(at: 8)
        maxLuminance = reader.number(at: 9)
        minLuminance = reader.number(at: 10)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(redX, at: 1)
        writer.number(redY, at: 2)
        writer.number(greenX, at: 3)
        writer.number(greenY, at: 4)
        writer.number(blueX, at: 5)
        writer.number(blueY, at: 6)
        writer.number(whiteX, at: 7)
        writer.number(whiteY, at: 8)
        writer.number(maxLuminance, at: 9)
        writer.number(minLuminance, at: 10)
    }
}

extension Proto {
    struct ContentLight: Equatable, Sendable {
        var maxCll: UInt32 = 0
        var maxFall: UInt32 = 0
    }
}

extension Proto.ContentLight: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.contentLight) }

    init(reading reader: borrowing FieldReader) {
        maxCll = reader.number(at: 1)
        maxFall = reader.number(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(maxCll, at: 1)
        writer.number(maxFall, at: 2)
    }
}

extension Proto {
    struct DolbyVisionRecord: Equatable, Sendable {
        var versionMajor: UInt32 = 0
        var versionMinor: UInt32 = 0
        var profile: UInt32 = 0
        var level: UInt32 = 0
        var rpuPresent: Bool = false
        var elPresent: Bool = false
        var blPresent: Bool = false
        var compatibility: UInt32 = 0
    }
}

extension Proto.DolbyVisionRecord: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.dolbyVisionRecord) }

    init(reading reader: borrowing FieldReader) {
        versionMajor = reader.number(at: 1)
        versionMinor = reader.number(at: 2)
        profile = reader.number(at: 3)
        level = reader.number(at: 4)
        rpuPresent = reader.flag(at: 5)
        elPresent = reader.flag(at: 6)
        blPresent = reader.flag(at: 7)
        compatibility = reader.number(at: 8)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(versionMajor, at: 1)
        writer.number(versionMinor, at: 2)
        writer.number(profile, at: 3)
        writer.number(level, at: 4)
        writer.flag(rpuPresent, at: 5)
        writer.flag(elPresent, at: 6)
        writer.flag(blPresent, at: 7)
        writer.number(compatibility, at: 8)
    }
}

extension Proto {
    struct Chapter: Equatable, Sendable {
        var startMicroseconds: Int64 = 0
        var endMicroseconds: Int64 = 0
        var title: String = ""
    }
}

extension Proto.Chapter: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.chapter) }

    init(reading reader: borrowing FieldReader) {
        startMicroseconds = reader.number(at: 1)
        endMicroseconds = reader.number(at: 2)
        title = reader.text(at: 3)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(startMicroseconds, at: 1)
        writer.number(endMicroseconds, at: 2)
        writer.text(title, at: 3)
    }
}

extension Proto {
    struct Tag: Equatable, Sendable {
        var key: String = ""
        var value: String = ""
    }
}

extension Proto.Tag: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.tag) }

    init(reading reader: borrowing FieldReader) {
        key = reader.text(at: 1)
        value = reader.text(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(key, at: 1)
        writer.text(value, at: 2)
    }
}
