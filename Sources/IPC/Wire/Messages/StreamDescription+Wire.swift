// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension StreamDescription {
    var wire: Proto.MediaStream {
        var wire = Proto.MediaStream()
        wire.index = UInt32(clamping: index)
        wire.kind = kind.wire
        wire.codec = codec.rawValue
        wire.codecName = codecName
        wire.profile = profile
        wire.codecString = codecString
        wire.language = language
        wire.title = title
        wire.dispositions = dispositions
        wire.bitRate = bitRate
        wire.startMicroseconds = start.microseconds
        wire.durationMicroseconds = duration?.microseconds ?? -1
        wire.video = video?.wire
        wire.audio = audio?.wire
        wire.tags = tags.map(\.wire)
        wire.fileName = fileName
        wire.mimeType = mimeType
        wire.payloadBytes = payloadByteCount
        wire.route = route.word
        wire.routeReason = route.reason
        wire.delivery = delivery?.wire
        wire.protection = protection?.wire
        wire.pid = UInt32(clamping: pid)
        return wire
    }

    init(wire: Proto.MediaStream) {
        self.init()
        index = Int(wire.index)
        kind = StreamKind(wire: wire.kind)
        codec = CodecID(rawValue: wire.codec)
        codecName = wire.codecName
        profile = wire.profile
        codecString = wire.codecString
        language = wire.language
        title = wire.title
        dispositions = wire.dispositions
        bitRate = wire.bitRate
        start = MediaTime(microseconds: wire.startMicroseconds)
        duration = wire.durationMicroseconds < 0 ? nil : MediaTime(microseconds: wire.durationMicroseconds)
        video = wire.video.map(VideoProperties.init(wire:))
        audio = wire.audio.map(AudioProperties.init(wire:))
        tags = wire.tags.map(Tag.init(wire:))
        fileName = wire.fileName
        mimeType = wire.mimeType
        payloadByteCount = wire.payloadBytes
        route = Route(word: wire.route, reason: wire.routeReason)
        delivery = wire.delivery.map(Delivery.init(wire:))
        protection = wire.protection.map(ContentProtection.init(wire:))
        pid = Int(wire.pid)
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
    var wire: Proto.StreamKind {
        switch self {
        case .video: .video
        case .audio: .audio
        case .subtitle: .subtitle
        case .data: .data
        case .attachment: .attachment
        case .coverArt: .coverArt
        }
    }

    init(wire: Proto.StreamKind) { self = Self.allCases.first { $0.wire == wire } ?? .data }
}

extension Delivery {
    var wire: Proto.Delivery {
        var wire = Proto.Delivery()
        wire.codec = codec.rawValue
        wire.sampleEntry = sampleEntry
        wire.codecString = codecString
        wire.supplementalCodecs = supplementalCodecs
        wire.audio = audio?.wire
        wire.videoFormat = videoFormat?.name ?? ""
        return wire
    }

    init(wire: Proto.Delivery) {
        self.init(
            codec: CodecID(rawValue: wire.codec),
            sampleEntry: wire.sampleEntry,
            codecString: wire.codecString,
            supplementalCodecs: wire.supplementalCodecs
        )
        audio = wire.audio.map(AudioProperties.init(wire:))
        videoFormat = VideoFormat(name: wire.videoFormat)
    }
}

extension ContentProtection {
    var wire: Proto.ContentProtection {
        var wire = Proto.ContentProtection()
        wire.scheme = scheme
        wire.keySystems = keySystems
        wire.keyID = keyID
        return wire
    }

    init(wire: Proto.ContentProtection) {
        self.init(scheme: wire.scheme, keySystems: wire.keySystems, keyID: wire.keyID)
    }
}
