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
        unsafe wire.pointee.delivery = delivery?.wire(in: arena)
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
        delivery = unsafe wire.delivery.map { unsafe Delivery(wire: $0.pointee) }
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

extension Delivery {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__Delivery> {
        let wire = unsafe arena.message(Engine__V1__Delivery.self)
        unsafe wire.pointee.codec = arena.string(codec.rawValue)
        unsafe wire.pointee.sample_entry = arena.string(sampleEntry)
        unsafe wire.pointee.codec_string = arena.string(codecString)
        unsafe wire.pointee.supplemental_codecs = arena.string(supplementalCodecs)
        unsafe wire.pointee.audio = audio?.wire(in: arena)
        unsafe wire.pointee.video_format = arena.string(videoFormat?.name ?? "")
        return unsafe wire
    }

    init(wire: Engine__V1__Delivery) {
        unsafe self.init(
            codec: CodecID(rawValue: text(wire.codec)),
            sampleEntry: text(wire.sample_entry),
            codecString: text(wire.codec_string),
            supplementalCodecs: text(wire.supplemental_codecs)
        )
        audio = unsafe wire.audio.map { unsafe AudioProperties(wire: $0.pointee) }
        videoFormat = VideoFormat(name: unsafe text(wire.video_format))
    }
}
