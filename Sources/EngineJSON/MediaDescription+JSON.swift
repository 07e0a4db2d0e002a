// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// The schema of `probe --json`, and of `media` in states: docs/enginectl.md. Members are added, never renamed.

extension MediaDescription {
    package var json: JSON {
        .object(
            ("source", .string(source)),
            ("container", .string(container)),
            ("container_name", .string(containerName)),
            ("duration_us", duration.map { .integer($0.microseconds) } ?? .null),
            ("start_us", .integer(start.microseconds)),
            ("byte_count", .integer(byteCount)),
            ("bit_rate", .integer(bitRate)),
            ("programs", programs.isEmpty ? nil : .array(programs.map(\.json))),
            ("program", program.map { .integer($0) }),
            ("streams", .array(streams.map(\.json))),
            ("chapters", .array(chapters.map(\.json))),
            ("tags", tags.json),
            ("subtitle_files", subtitleFiles.isEmpty ? nil : .array(subtitleFiles.map(\.json))),
            ("variants", variants.isEmpty ? nil : .array(variants.map(\.json))),
            ("titles", titles.isEmpty ? nil : .array(titles.map(\.json)))
        )
    }
}

extension SourceVariant {
    package var json: JSON {
        .object(
            ("index", .integer(index)),
            ("name", .string(name)),
            ("bandwidth", .integer(bandwidth)),
            ("average_bandwidth", .integer(averageBandwidth)),
            ("width", .integer(width)),
            ("height", .integer(height)),
            ("frame_rate", .number(frameRate)),
            ("codecs", .array(codecs.map { .string($0) })),
            ("video_range", .string(videoRange)),
            ("use", .string(use.rawValue)),
            ("reason", .string(reason))
        )
    }
}

extension DiscTitle {
    package var json: JSON {
        .object(
            ("number", .integer(number)),
            ("name", .string(name)),
            ("duration_us", .integer(duration.microseconds)),
            ("chapters", .integer(chapterCount)),
            ("angles", .integer(angleCount)),
            ("main", .bool(isMain)),
            ("selected", .bool(isSelected))
        )
    }
}

extension StreamDescription {
    package var json: JSON {
        .object(
            ("index", .integer(index)),
            ("pid", pid == 0 ? nil : .integer(pid)),
            ("kind", .string(kind.word)),
            ("codec", .string(codec.rawValue)),
            ("codec_name", .string(codecName)),
            ("profile", .string(profile)),
            ("codec_string", .string(codecString)),
            ("language", .string(language)),
            ("title", .string(title)),
            ("dispositions", .array(dispositions.map { .string($0) })),
            ("bit_rate", .integer(bitRate)),
            ("start_us", .integer(start.microseconds)),
            ("duration_us", duration.map { .integer($0.microseconds) } ?? .null),
            ("video", video?.json),
            ("audio", audio?.json),
            ("file_name", fileName.isEmpty ? nil : .string(fileName)),
            ("mime_type", mimeType.isEmpty ? nil : .string(mimeType)),
            ("payload_byte_count", payloadByteCount == 0 ? nil : .integer(payloadByteCount)),
            ("route", .string(route.word)),
            ("route_reason", .string(route.reason)),
            ("delivery", delivery?.json),
            ("protection", protection?.json),
            ("tags", tags.json)
        )
    }
}

extension Program {
    package var json: JSON {
        .object(
            ("number", .integer(number)),
            ("name", .string(name)),
            ("provider", .string(provider)),
            ("clock_pid", clockPID.map { .integer($0) } ?? .null),
            ("map_pid", .integer(mapPID)),
            ("streams", .array(streams.map { .integer($0) }))
        )
    }
}

extension StreamKind {
    package var word: String {
        switch self {
        case .video: "video"
        case .audio: "audio"
        case .subtitle: "subtitle"
        case .data: "data"
        case .attachment: "attachment"
        case .coverArt: "cover_art"
        }
    }
}

extension VideoProperties {
    fileprivate var json: JSON {
        .object(
            ("width", .integer(width)),
            ("height", .integer(height)),
            ("sample_aspect_ratio", sampleAspectRatio.json),
            ("frame_rate", frameRate?.json ?? .null),
            ("pixel_format", .string(pixelFormat)),
            ("bit_depth", .integer(bitDepth)),
            ("color_primaries", .integer(color.primaries)),
            ("color_transfer", .integer(color.transfer)),
            ("color_matrix", .integer(color.matrix)),
            ("full_range", .bool(color.isFullRange)),
            ("rotation", .integer(rotation)),
            ("video_format", .string(sourceVideoFormat.name)),
            ("interlaced", .bool(isInterlaced)),
            ("mastering_display", masteringDisplay?.json ?? .null),
            ("content_light", contentLight?.json ?? .null),
            ("dolby_vision", dolbyVision?.json ?? .null),
            ("closed_captions", .bool(hasClosedCaptions)),
            ("caption_channels", .array(captionChannels.map { .string($0) })),
            ("field_order", isTopFieldFirst.map { .string($0 ? "top" : "bottom") } ?? .null),
            ("chroma_format", .integer(chromaFormat)),
            ("crop", cropping.json)
        )
    }
}

extension Cropping {
    fileprivate var json: JSON {
        .object(
            ("left", .integer(left)),
            ("top", .integer(top)),
            ("right", .integer(right)),
            ("bottom", .integer(bottom))
        )
    }
}

extension AudioProperties {
    fileprivate var json: JSON {
        .object(
            ("sample_rate", .integer(sampleRate)),
            ("channels", .integer(channels)),
            ("channel_layout", .string(channelLayout)),
            ("bit_depth", .integer(bitDepth)),
            ("objects", objects.map { .string($0.word) } ?? .null),
            ("is_atmos", .bool(isAtmos)),
            ("atmos_complexity", atmosComplexity.map { .integer($0) } ?? .null)
        )
    }

    private var atmosComplexity: Int? {
        if case .dolbyAtmos(let complexity) = objects { complexity } else { nil }
    }
}

extension Delivery {
    fileprivate var json: JSON {
        .object(
            ("codec", .string(codec.rawValue)),
            ("sample_entry", .string(sampleEntry)),
            ("codec_string", .string(codecString)),
            ("supplemental_codecs", .string(supplementalCodecs)),
            ("audio", audio?.json),
            ("video_format", videoFormat.map { .string($0.name) })
        )
    }
}

extension ContentProtection {
    fileprivate var json: JSON {
        .object(
            ("scheme", .string(scheme)),
            ("key_systems", .array(keySystems.map { .string($0) })),
            ("key_id", .string(keyID))
        )
    }
}

extension Ratio {
    fileprivate var json: JSON { .string("\(numerator)/\(denominator)") }
}

extension Chapter {
    fileprivate var json: JSON {
        .object(
            ("start_us", .integer(start.microseconds)),
            ("end_us", .integer(end.microseconds)),
            ("title", .string(title))
        )
    }
}

extension [Tag] {
    /// An array of objects with key and value, because keys may repeat.
    package var json: JSON {
        .array(map { .object(("key", .string($0.key)), ("value", .string($0.value))) })
    }
}
