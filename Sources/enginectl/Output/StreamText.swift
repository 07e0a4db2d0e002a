// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineJSON

/// Describes a stream in one line: its properties, and how it is served.
struct StreamText {
    let stream: StreamDescription
    /// Whether the line states how the stream is served.
    var showsRoute = true

    var line: String {
        var parts = [stream.profile.isEmpty ? stream.codec.rawValue : "\(stream.codec.rawValue) (\(stream.profile))"]
        if let video = stream.video { parts += describe(video) }
        if let audio = stream.audio { parts += describe(audio) }
        if stream.bitRate > 0 { parts.append(Words.bitRate(stream.bitRate)) }
        if !stream.fileName.isEmpty { parts.append(stream.fileName) }
        if !stream.mimeType.isEmpty { parts.append(stream.mimeType) }
        if stream.payloadByteCount > 0 { parts.append(Words.bytes(stream.payloadByteCount)) }
        if !stream.dispositions.isEmpty { parts.append(stream.dispositions.joined(separator: " ")) }
        let language = stream.language.isEmpty || stream.language == "und" ? "" : " [\(stream.language)]"
        let title = stream.title.isEmpty ? "" : " \"\(stream.title)\""
        let kind = stream.kind == .coverArt ? "cover" : stream.kind.word
        return Words.plain(
            "#\(stream.index) \(kind)\(language)\(title): \(parts.joined(separator: ", "))\(route)"
        )
    }

    /// The route is shown only for video and audio.
    private var route: String {
        guard showsRoute, stream.kind == .video || stream.kind == .audio else { return "" }
        switch stream.route {
        case .remux: return served.isEmpty ? " → served" : " → served as \(served)"
        case .bridge: return served.isEmpty ? " → bridged: \(stream.route.reason)" : " → bridged to \(served)"
        case .software(let reason): return " → software path: \(reason)"
        case .none(let reason): return reason.isEmpty ? " → not served" : " → not served: \(reason)"
        }
    }

    private var served: String {
        guard let delivery = stream.delivery else { return stream.codecString }
        var parts = [delivery.codecString]
        if !delivery.supplementalCodecs.isEmpty { parts.append("(\(delivery.supplementalCodecs))") }
        if let format = delivery.videoFormat { parts.append(format.name) }
        if let audio = delivery.audio, audio != stream.audio, !audio.channelLayout.isEmpty {
            parts.append(audio.channelLayout)
        }
        return parts.joined(separator: " ")
    }

    private func describe(_ video: VideoProperties) -> [String] {
        var size = "\(video.width)x\(video.height)"
        let aspect = video.sampleAspectRatio
        if aspect.numerator != aspect.denominator, aspect.numerator > 0 {
            size += " (pixels \(aspect.numerator):\(aspect.denominator))"
        }
        var parts = [size]
        if let rate = video.frameRate { parts.append("\(Words.number(rate.value, places: 3)) fps") }
        parts.append("\(video.bitDepth) bit")
        if !video.pixelFormat.isEmpty { parts.append(video.pixelFormat) }
        parts.append(video.sourceVideoFormat.name)
        if video.rotation != 0 { parts.append("rotated \(video.rotation)°") }
        if !video.cropping.isNone {
            let crop = video.cropping
            parts.append("cropped by \(crop.left) \(crop.top) \(crop.right) \(crop.bottom)")
        }
        if video.isInterlaced { parts.append("interlaced") }
        if video.hasClosedCaptions { parts.append("closed captions") }
        return parts
    }

    private func describe(_ audio: AudioProperties) -> [String] {
        var parts = ["\(audio.sampleRate) Hz"]
        parts.append(audio.channelLayout.isEmpty ? Words.count(audio.channels, "channel") : audio.channelLayout)
        if audio.bitDepth > 0 { parts.append("\(audio.bitDepth) bit") }
        switch audio.objects {
        case .dolbyAtmos: parts.append("Dolby Atmos")
        case .dtsX: parts.append("DTS:X")
        case nil: break
        }
        return parts
    }
}
