// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

extension StreamDescription {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__MediaStream> {
        let wire = unsafe arena.message(Engine__V1__MediaStream.self)
        unsafe wire.pointee.index = UInt32(clamping: index)
        unsafe wire.pointee.kind = kind.wire
        unsafe wire.pointee.codec = arena.string(codec.rawValue)
        unsafe wire.pointee.codec_name = arena.string(codecName)
        unsafe wire.pointee.profile = arena.string(profile)
        unsafe wire.pointee.codec_string = arena.string(codecString)
        unsafe wire.pointee.language = arena.string(language)
        unsafe wire.pointee.title = arena.string(title)
        unsafe wire.pointee.n_dispositions = dispositions.count
        unsafe wire.pointee.dispositions = arena.array(dispositions) { unsafe .some(arena.string($0)) }
        unsafe wire.pointee.bit_rate = bitRate
        unsafe wire.pointee.start_us = start.microseconds
        unsafe wire.pointee.duration_us = duration?.microseconds ?? -1
        unsafe wire.pointee.video = video?.wire(in: arena)
        unsafe wire.pointee.audio = audio?.wire(in: arena)
        unsafe wire.pointee.n_tags = tags.count
        unsafe wire.pointee.tags = arena.array(tags) { unsafe .some($0.wire(in: arena)) }
        unsafe wire.pointee.file_name = arena.string(fileName)
        unsafe wire.pointee.mime_type = arena.string(mimeType)
        unsafe wire.pointee.payload_bytes = payloadByteCount
        unsafe wire.pointee.route = arena.string(route.word)
        unsafe wire.pointee.route_reason = arena.string(route.reason)
        return unsafe wire
    }

    init(wire: Engine__V1__MediaStream) throws(EngineError) {
        self.init()
        index = Int(unsafe wire.index)
        kind = unsafe StreamKind(wire: wire.kind)
        codec = CodecID(rawValue: unsafe text(wire.codec))
        codecName = unsafe text(wire.codec_name)
        profile = unsafe text(wire.profile)
        codecString = unsafe text(wire.codec_string)
        language = unsafe text(wire.language)
        title = unsafe text(wire.title)
        dispositions = unsafe texts(wire.dispositions, wire.n_dispositions)
        bitRate = unsafe wire.bit_rate
        start = MediaTime(microseconds: unsafe wire.start_us)
        duration = unsafe wire.duration_us < 0 ? nil : MediaTime(microseconds: wire.duration_us)
        video = unsafe wire.video.map { unsafe VideoProperties(wire: $0.pointee) }
        audio = unsafe wire.audio.map { unsafe AudioProperties(wire: $0.pointee) }
        tags = try unsafe values(wire.tags, wire.n_tags) { tag throws(EngineError) in unsafe Tag(wire: tag) }
        fileName = unsafe text(wire.file_name)
        mimeType = unsafe text(wire.mime_type)
        payloadByteCount = unsafe wire.payload_bytes
        route = Route(word: unsafe text(wire.route), reason: unsafe text(wire.route_reason))
    }
}

extension Route {
    init(word: String, reason: String) {
        self =
            switch word {
            case "remux": .remux(reason)
            case "bridge": .bridge(reason)
            case "software": .software(reason)
            default: .none(reason)
            }
    }
}

extension StreamKind {
    var wire: Engine__V1__StreamKind {
        switch self {
        case .video: ENGINE__V1__STREAM_KIND__STREAM_KIND_VIDEO
        case .audio: ENGINE__V1__STREAM_KIND__STREAM_KIND_AUDIO
        case .subtitle: ENGINE__V1__STREAM_KIND__STREAM_KIND_SUBTITLE
        case .data: ENGINE__V1__STREAM_KIND__STREAM_KIND_DATA
        case .attachment: ENGINE__V1__STREAM_KIND__STREAM_KIND_ATTACHMENT
        case .coverArt: ENGINE__V1__STREAM_KIND__STREAM_KIND_COVER_ART
        }
    }

    init(wire: Engine__V1__StreamKind) { self = Self.allCases.first { $0.wire == wire } ?? .data }
}

extension VideoProperties {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__VideoProperties> {
        let wire = unsafe arena.message(Engine__V1__VideoProperties.self)
        unsafe wire.pointee.width = UInt32(clamping: width)
        unsafe wire.pointee.height = UInt32(clamping: height)
        unsafe wire.pointee.sample_aspect_num = UInt32(clamping: sampleAspectRatio.numerator)
        unsafe wire.pointee.sample_aspect_den = UInt32(clamping: sampleAspectRatio.denominator)
        unsafe wire.pointee.frame_rate_num = UInt32(clamping: frameRate?.numerator ?? 0)
        unsafe wire.pointee.frame_rate_den = UInt32(clamping: frameRate?.denominator ?? 0)
        unsafe wire.pointee.pixel_format = arena.string(pixelFormat)
        unsafe wire.pointee.bit_depth = UInt32(clamping: bitDepth)
        unsafe wire.pointee.color_primaries = arena.string(ColorNames.primaries.name(color.primaries))
        unsafe wire.pointee.color_transfer = arena.string(ColorNames.transfer.name(color.transfer))
        unsafe wire.pointee.color_matrix = arena.string(ColorNames.matrix.name(color.matrix))
        unsafe wire.pointee.full_range = color.isFullRange ? 1 : 0
        unsafe wire.pointee.rotation = UInt32(clamping: rotation)
        unsafe wire.pointee.video_format = arena.string(sourceVideoFormat.name)
        unsafe wire.pointee.interlaced = isInterlaced ? 1 : 0
        return unsafe wire
    }

    init(wire: Engine__V1__VideoProperties) {
        self.init()
        width = Int(unsafe wire.width)
        height = Int(unsafe wire.height)
        sampleAspectRatio = unsafe Ratio(Int(wire.sample_aspect_num), Int(wire.sample_aspect_den))
        if unsafe wire.frame_rate_den != 0 {
            frameRate = unsafe Ratio(Int(wire.frame_rate_num), Int(wire.frame_rate_den))
        }
        pixelFormat = unsafe text(wire.pixel_format)
        bitDepth = Int(unsafe wire.bit_depth)
        color = ColorDescription(
            primaries: ColorNames.primaries.codePoint(unsafe text(wire.color_primaries)),
            transfer: ColorNames.transfer.codePoint(unsafe text(wire.color_transfer)),
            matrix: ColorNames.matrix.codePoint(unsafe text(wire.color_matrix)),
            isFullRange: unsafe wire.full_range != 0
        )
        rotation = Int(unsafe wire.rotation)
        sourceVideoFormat = VideoFormat(name: unsafe text(wire.video_format)) ?? .sdr
        isInterlaced = unsafe wire.interlaced != 0
    }
}

extension AudioProperties {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__AudioProperties> {
        let wire = unsafe arena.message(Engine__V1__AudioProperties.self)
        unsafe wire.pointee.sample_rate = UInt32(clamping: sampleRate)
        unsafe wire.pointee.channels = UInt32(clamping: channels)
        unsafe wire.pointee.channel_layout = arena.string(channelLayout)
        unsafe wire.pointee.bit_depth = UInt32(clamping: bitDepth)
        return unsafe wire
    }

    init(wire: Engine__V1__AudioProperties) {
        self.init()
        sampleRate = Int(unsafe wire.sample_rate)
        channels = Int(unsafe wire.channels)
        channelLayout = unsafe text(wire.channel_layout)
        bitDepth = Int(unsafe wire.bit_depth)
    }
}
