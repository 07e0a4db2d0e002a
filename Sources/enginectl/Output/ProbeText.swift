// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// What `probe` prints for people: the file, a line a stream with what matters of it, then chapters and tags.
struct ProbeText {
    let media: MediaDescription

    var lines: [String] {
        var lines = [Words.plain(media.source), "  " + summary]
        lines += media.streams.map { "  " + line(of: $0) }
        if !media.chapters.isEmpty {
            lines.append("  chapters")
            lines += media.chapters.map {
                "    \(Words.time($0.start, withMilliseconds: true))  \(Words.plain($0.title))"
            }
        }
        lines += tagLines(media.tags, indent: "  ")
        return lines
    }

    private var summary: String {
        var parts = [media.containerName.isEmpty ? media.container : media.containerName]
        parts.append(media.duration.map { Words.time($0, withMilliseconds: true) } ?? "unknown duration")
        if media.byteCount > 0 { parts.append(Words.bytes(media.byteCount)) }
        if media.bitRate > 0 { parts.append(Words.bitRate(media.bitRate)) }
        if media.start != .zero { parts.append("starts at \(Words.time(media.start, withMilliseconds: true))") }
        return parts.joined(separator: ", ")
    }

    private func line(of stream: StreamDescription) -> String {
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
        let kind = stream.kind == .coverArt ? "cover art" : stream.kind.word
        return Words.plain(
            "#\(stream.index) \(kind)\(language)\(title): \(parts.joined(separator: ", "))\(route(stream))"
        )
    }

    /// Only what is playable by nature is worth a word on how it is served.
    private func route(_ stream: StreamDescription) -> String {
        guard stream.kind == .video || stream.kind == .audio else { return "" }
        switch stream.route {
        case .remux: return stream.codecString.isEmpty ? " → served" : " → served as \(stream.codecString)"
        case .bridge: return stream.codecString.isEmpty ? " → bridged" : " → bridged to \(stream.codecString)"
        case .software(let reason): return " → software path: \(reason)"
        case .none(let reason): return reason.isEmpty ? " → not served" : " → not served: \(reason)"
        }
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
        if video.isInterlaced { parts.append("interlaced") }
        return parts
    }

    private func describe(_ audio: AudioProperties) -> [String] {
        var parts = ["\(audio.sampleRate) Hz"]
        parts.append(audio.channelLayout.isEmpty ? Words.count(audio.channels, "channel") : audio.channelLayout)
        if audio.bitDepth > 0 { parts.append("\(audio.bitDepth) bit") }
        return parts
    }

    private func tagLines(_ tags: [Tag], indent: String) -> [String] {
        guard !tags.isEmpty else { return [] }
        return ["\(indent)tags"] + tags.map { "\(indent)  \(Words.plain($0.key)): \(Words.plain($0.value))" }
    }
}
