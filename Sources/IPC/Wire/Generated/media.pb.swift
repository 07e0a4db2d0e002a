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

extension Engine__V1__StreamKind: ProtobufCEnum {}

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
    static var size: Int { unsafe MemoryLayout<Engine__V1__MediaDescription>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__media_description__init(pointer.assumingMemoryBound(to: Engine__V1__MediaDescription.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__MediaDescription.self)
        source = unsafe readText(c.pointee.source)
        container = unsafe readText(c.pointee.container)
        containerName = unsafe readText(c.pointee.container_name)
        durationMicroseconds = unsafe c.pointee.duration_us
        startMicroseconds = unsafe c.pointee.start_us
        byteCount = unsafe c.pointee.byte_count
        bitRate = unsafe c.pointee.bit_rate
        streams = unsafe readMessages(c.pointee.streams, c.pointee.n_streams)
        chapters = unsafe readMessages(c.pointee.chapters, c.pointee.n_chapters)
        tags = unsafe readMessages(c.pointee.tags, c.pointee.n_tags)
        subtitleFiles = unsafe readMessages(c.pointee.subtitle_files, c.pointee.n_subtitle_files)
        variants = unsafe readMessages(c.pointee.variants, c.pointee.n_variants)
        programs = unsafe readMessages(c.pointee.programs, c.pointee.n_programs)
        program = unsafe c.pointee.program
        titles = unsafe readMessages(c.pointee.titles, c.pointee.n_titles)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__MediaDescription.self)
        unsafe c.pointee.source = arena.text(source)
        unsafe c.pointee.container = arena.text(container)
        unsafe c.pointee.container_name = arena.text(containerName)
        unsafe c.pointee.duration_us = durationMicroseconds
        unsafe c.pointee.start_us = startMicroseconds
        unsafe c.pointee.byte_count = byteCount
        unsafe c.pointee.bit_rate = bitRate
        unsafe c.pointee.n_streams = streams.count
        unsafe c.pointee.streams = arena.messages(streams)
        unsafe c.pointee.n_chapters = chapters.count
        unsafe c.pointee.chapters = arena.messages(chapters)
        unsafe c.pointee.n_tags = tags.count
        unsafe c.pointee.tags = arena.messages(tags)
        unsafe c.pointee.n_subtitle_files = subtitleFiles.count
        unsafe c.pointee.subtitle_files = arena.messages(subtitleFiles)
        unsafe c.pointee.n_variants = variants.count
        unsafe c.pointee.variants = arena.messages(variants)
        unsafe c.pointee.n_programs = programs.count
        unsafe c.pointee.programs = arena.messages(programs)
        unsafe c.pointee.program = program
        unsafe c.pointee.n_titles = titles.count
        unsafe c.pointee.titles = arena.messages(titles)
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__MediaVariant>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__media_variant__init(pointer.assumingMemoryBound(to: Engine__V1__MediaVariant.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__MediaVariant.self)
        index = unsafe c.pointee.index
        name = unsafe readText(c.pointee.name)
        bandwidth = unsafe c.pointee.bandwidth
        averageBandwidth = unsafe c.pointee.average_bandwidth
        width = unsafe c.pointee.width
        height = unsafe c.pointee.height
        frameRate = unsafe c.pointee.frame_rate
        codecs = unsafe readTexts(c.pointee.codecs, c.pointee.n_codecs)
        videoRange = unsafe readText(c.pointee.video_range)
        use = unsafe readText(c.pointee.use)
        reason = unsafe readText(c.pointee.reason)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__MediaVariant.self)
        unsafe c.pointee.index = index
        unsafe c.pointee.name = arena.text(name)
        unsafe c.pointee.bandwidth = bandwidth
        unsafe c.pointee.average_bandwidth = averageBandwidth
        unsafe c.pointee.width = width
        unsafe c.pointee.height = height
        unsafe c.pointee.frame_rate = frameRate
        unsafe c.pointee.n_codecs = codecs.count
        unsafe c.pointee.codecs = arena.texts(codecs)
        unsafe c.pointee.video_range = arena.text(videoRange)
        unsafe c.pointee.use = arena.text(use)
        unsafe c.pointee.reason = arena.text(reason)
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__DiscTitle>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__disc_title__init(pointer.assumingMemoryBound(to: Engine__V1__DiscTitle.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__DiscTitle.self)
        number = unsafe c.pointee.number
        name = unsafe readText(c.pointee.name)
        durationMicroseconds = unsafe c.pointee.duration_us
        chapters = unsafe c.pointee.chapters
        angles = unsafe c.pointee.angles
        main = unsafe c.pointee.main != 0
        selected = unsafe c.pointee.selected != 0
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__DiscTitle.self)
        unsafe c.pointee.number = number
        unsafe c.pointee.name = arena.text(name)
        unsafe c.pointee.duration_us = durationMicroseconds
        unsafe c.pointee.chapters = chapters
        unsafe c.pointee.angles = angles
        unsafe c.pointee.main = main ? 1 : 0
        unsafe c.pointee.selected = selected ? 1 : 0
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__MediaStream>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__media_stream__init(pointer.assumingMemoryBound(to: Engine__V1__MediaStream.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__MediaStream.self)
        index = unsafe c.pointee.index
        kind = unsafe Proto.StreamKind(rawValue: c.pointee.kind.rawValue)
        codec = unsafe readText(c.pointee.codec)
        codecName = unsafe readText(c.pointee.codec_name)
        profile = unsafe readText(c.pointee.profile)
        codecString = unsafe readText(c.pointee.codec_string)
        language = unsafe readText(c.pointee.language)
        title = unsafe readText(c.pointee.title)
        dispositions = unsafe readTexts(c.pointee.dispositions, c.pointee.n_dispositions)
        bitRate = unsafe c.pointee.bit_rate
        startMicroseconds = unsafe c.pointee.start_us
        durationMicroseconds = unsafe c.pointee.duration_us
        video = unsafe readMessage(c.pointee.video)
        audio = unsafe readMessage(c.pointee.audio)
        tags = unsafe readMessages(c.pointee.tags, c.pointee.n_tags)
        fileName = unsafe readText(c.pointee.file_name)
        mimeType = unsafe readText(c.pointee.mime_type)
        payloadBytes = unsafe c.pointee.payload_bytes
        route = unsafe readText(c.pointee.route)
        routeReason = unsafe readText(c.pointee.route_reason)
        delivery = unsafe readMessage(c.pointee.delivery)
        protection = unsafe readMessage(c.pointee.protection)
        pid = unsafe c.pointee.pid
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__MediaStream.self)
        unsafe c.pointee.index = index
        unsafe c.pointee.kind.rawValue = kind.rawValue
        unsafe c.pointee.codec = arena.text(codec)
        unsafe c.pointee.codec_name = arena.text(codecName)
        unsafe c.pointee.profile = arena.text(profile)
        unsafe c.pointee.codec_string = arena.text(codecString)
        unsafe c.pointee.language = arena.text(language)
        unsafe c.pointee.title = arena.text(title)
        unsafe c.pointee.n_dispositions = dispositions.count
        unsafe c.pointee.dispositions = arena.texts(dispositions)
        unsafe c.pointee.bit_rate = bitRate
        unsafe c.pointee.start_us = startMicroseconds
        unsafe c.pointee.duration_us = durationMicroseconds
        unsafe c.pointee.video = arena.message(video)
        unsafe c.pointee.audio = arena.message(audio)
        unsafe c.pointee.n_tags = tags.count
        unsafe c.pointee.tags = arena.messages(tags)
        unsafe c.pointee.file_name = arena.text(fileName)
        unsafe c.pointee.mime_type = arena.text(mimeType)
        unsafe c.pointee.payload_bytes = payloadBytes
        unsafe c.pointee.route = arena.text(route)
        unsafe c.pointee.route_reason = arena.text(routeReason)
        unsafe c.pointee.delivery = arena.message(delivery)
        unsafe c.pointee.protection = arena.message(protection)
        unsafe c.pointee.pid = pid
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__ContentProtection>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__content_protection__init(pointer.assumingMemoryBound(to: Engine__V1__ContentProtection.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ContentProtection.self)
        scheme = unsafe readText(c.pointee.scheme)
        keySystems = unsafe readTexts(c.pointee.key_systems, c.pointee.n_key_systems)
        keyID = unsafe readText(c.pointee.key_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ContentProtection.self)
        unsafe c.pointee.scheme = arena.text(scheme)
        unsafe c.pointee.n_key_systems = keySystems.count
        unsafe c.pointee.key_systems = arena.texts(keySystems)
        unsafe c.pointee.key_id = arena.text(keyID)
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__Delivery>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__delivery__init(pointer.assumingMemoryBound(to: Engine__V1__Delivery.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Delivery.self)
        codec = unsafe readText(c.pointee.codec)
        sampleEntry = unsafe readText(c.pointee.sample_entry)
        codecString = unsafe readText(c.pointee.codec_string)
        supplementalCodecs = unsafe readText(c.pointee.supplemental_codecs)
        audio = unsafe readMessage(c.pointee.audio)
        videoFormat = unsafe readText(c.pointee.video_format)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Delivery.self)
        unsafe c.pointee.codec = arena.text(codec)
        unsafe c.pointee.sample_entry = arena.text(sampleEntry)
        unsafe c.pointee.codec_string = arena.text(codecString)
        unsafe c.pointee.supplemental_codecs = arena.text(supplementalCodecs)
        unsafe c.pointee.audio = arena.message(audio)
        unsafe c.pointee.video_format = arena.text(videoFormat)
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__VideoProperties>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__video_properties__init(pointer.assumingMemoryBound(to: Engine__V1__VideoProperties.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__VideoProperties.self)
        width = unsafe c.pointee.width
        height = unsafe c.pointee.height
        sampleAspectNum = unsafe c.pointee.sample_aspect_num
        sampleAspectDen = unsafe c.pointee.sample_aspect_den
        frameRateNum = unsafe c.pointee.frame_rate_num
        frameRateDen = unsafe c.pointee.frame_rate_den
        pixelFormat = unsafe readText(c.pointee.pixel_format)
        bitDepth = unsafe c.pointee.bit_depth
        colorPrimaries = unsafe readText(c.pointee.color_primaries)
        colorTransfer = unsafe readText(c.pointee.color_transfer)
        colorMatrix = unsafe readText(c.pointee.color_matrix)
        fullRange = unsafe c.pointee.full_range != 0
        rotation = unsafe c.pointee.rotation
        videoFormat = unsafe readText(c.pointee.video_format)
        interlaced = unsafe c.pointee.interlaced != 0
        masteringDisplay = unsafe readMessage(c.pointee.mastering_display)
        contentLight = unsafe readMessage(c.pointee.content_light)
        dolbyVision = unsafe readMessage(c.pointee.dolby_vision)
        closedCaptions = unsafe c.pointee.closed_captions != 0
        captionChannels = unsafe readTexts(c.pointee.caption_channels, c.pointee.n_caption_channels)
        fieldOrder = unsafe readText(c.pointee.field_order)
        chromaFormat = unsafe c.pointee.chroma_format
        cropLeft = unsafe c.pointee.crop_left
        cropTop = unsafe c.pointee.crop_top
        cropRight = unsafe c.pointee.crop_right
        cropBottom = unsafe c.pointee.crop_bottom
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__VideoProperties.self)
        unsafe c.pointee.width = width
        unsafe c.pointee.height = height
        unsafe c.pointee.sample_aspect_num = sampleAspectNum
        unsafe c.pointee.sample_aspect_den = sampleAspectDen
        unsafe c.pointee.frame_rate_num = frameRateNum
        unsafe c.pointee.frame_rate_den = frameRateDen
        unsafe c.pointee.pixel_format = arena.text(pixelFormat)
        unsafe c.pointee.bit_depth = bitDepth
        unsafe c.pointee.color_primaries = arena.text(colorPrimaries)
        unsafe c.pointee.color_transfer = arena.text(colorTransfer)
        unsafe c.pointee.color_matrix = arena.text(colorMatrix)
        unsafe c.pointee.full_range = fullRange ? 1 : 0
        unsafe c.pointee.rotation = rotation
        unsafe c.pointee.video_format = arena.text(videoFormat)
        unsafe c.pointee.interlaced = interlaced ? 1 : 0
        unsafe c.pointee.mastering_display = arena.message(masteringDisplay)
        unsafe c.pointee.content_light = arena.message(contentLight)
        unsafe c.pointee.dolby_vision = arena.message(dolbyVision)
        unsafe c.pointee.closed_captions = closedCaptions ? 1 : 0
        unsafe c.pointee.n_caption_channels = captionChannels.count
        unsafe c.pointee.caption_channels = arena.texts(captionChannels)
        unsafe c.pointee.field_order = arena.text(fieldOrder)
        unsafe c.pointee.chroma_format = chromaFormat
        unsafe c.pointee.crop_left = cropLeft
        unsafe c.pointee.crop_top = cropTop
        unsafe c.pointee.crop_right = cropRight
        unsafe c.pointee.crop_bottom = cropBottom
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__AudioProperties>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__audio_properties__init(pointer.assumingMemoryBound(to: Engine__V1__AudioProperties.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__AudioProperties.self)
        sampleRate = unsafe c.pointee.sample_rate
        channels = unsafe c.pointee.channels
        channelLayout = unsafe readText(c.pointee.channel_layout)
        bitDepth = unsafe c.pointee.bit_depth
        objects = unsafe readText(c.pointee.objects)
        isAtmos = unsafe c.pointee.is_atmos != 0
        atmosComplexity = unsafe c.pointee.atmos_complexity
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__AudioProperties.self)
        unsafe c.pointee.sample_rate = sampleRate
        unsafe c.pointee.channels = channels
        unsafe c.pointee.channel_layout = arena.text(channelLayout)
        unsafe c.pointee.bit_depth = bitDepth
        unsafe c.pointee.objects = arena.text(objects)
        unsafe c.pointee.is_atmos = isAtmos ? 1 : 0
        unsafe c.pointee.atmos_complexity = atmosComplexity
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__MasteringDisplay>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__mastering_display__init(pointer.assumingMemoryBound(to: Engine__V1__MasteringDisplay.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__MasteringDisplay.self)
        redX = unsafe c.pointee.red_x
        redY = unsafe c.pointee.red_y
        greenX = unsafe c.pointee.green_x
        greenY = unsafe c.pointee.green_y
        blueX = unsafe c.pointee.blue_x
        blueY = unsafe c.pointee.blue_y
        whiteX = unsafe c.pointee.white_x
        whiteY = unsafe c.pointee.white_y
        maxLuminance = unsafe c.pointee.max_luminance
        minLuminance = unsafe c.pointee.min_luminance
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__MasteringDisplay.self)
        unsafe c.pointee.red_x = redX
        unsafe c.pointee.red_y = redY
        unsafe c.pointee.green_x = greenX
        unsafe c.pointee.green_y = greenY
        unsafe c.pointee.blue_x = blueX
        unsafe c.pointee.blue_y = blueY
        unsafe c.pointee.white_x = whiteX
        unsafe c.pointee.white_y = whiteY
        unsafe c.pointee.max_luminance = maxLuminance
        unsafe c.pointee.min_luminance = minLuminance
    }
}

extension Proto {
    struct ContentLight: Equatable, Sendable {
        var maxCll: UInt32 = 0
        var maxFall: UInt32 = 0
    }
}

extension Proto.ContentLight: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__ContentLight>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__content_light__init(pointer.assumingMemoryBound(to: Engine__V1__ContentLight.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ContentLight.self)
        maxCll = unsafe c.pointee.max_cll
        maxFall = unsafe c.pointee.max_fall
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ContentLight.self)
        unsafe c.pointee.max_cll = maxCll
        unsafe c.pointee.max_fall = maxFall
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__DolbyVisionRecord>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__dolby_vision_record__init(pointer.assumingMemoryBound(to: Engine__V1__DolbyVisionRecord.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__DolbyVisionRecord.self)
        versionMajor = unsafe c.pointee.version_major
        versionMinor = unsafe c.pointee.version_minor
        profile = unsafe c.pointee.profile
        level = unsafe c.pointee.level
        rpuPresent = unsafe c.pointee.rpu_present != 0
        elPresent = unsafe c.pointee.el_present != 0
        blPresent = unsafe c.pointee.bl_present != 0
        compatibility = unsafe c.pointee.compatibility
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__DolbyVisionRecord.self)
        unsafe c.pointee.version_major = versionMajor
        unsafe c.pointee.version_minor = versionMinor
        unsafe c.pointee.profile = profile
        unsafe c.pointee.level = level
        unsafe c.pointee.rpu_present = rpuPresent ? 1 : 0
        unsafe c.pointee.el_present = elPresent ? 1 : 0
        unsafe c.pointee.bl_present = blPresent ? 1 : 0
        unsafe c.pointee.compatibility = compatibility
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__Chapter>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__chapter__init(pointer.assumingMemoryBound(to: Engine__V1__Chapter.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Chapter.self)
        startMicroseconds = unsafe c.pointee.start_us
        endMicroseconds = unsafe c.pointee.end_us
        title = unsafe readText(c.pointee.title)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Chapter.self)
        unsafe c.pointee.start_us = startMicroseconds
        unsafe c.pointee.end_us = endMicroseconds
        unsafe c.pointee.title = arena.text(title)
    }
}

extension Proto {
    struct Tag: Equatable, Sendable {
        var key: String = ""
        var value: String = ""
    }
}

extension Proto.Tag: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__Tag>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__tag__init(pointer.assumingMemoryBound(to: Engine__V1__Tag.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Tag.self)
        key = unsafe readText(c.pointee.key)
        value = unsafe readText(c.pointee.value)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Tag.self)
        unsafe c.pointee.key = arena.text(key)
        unsafe c.pointee.value = arena.text(value)
    }
}
