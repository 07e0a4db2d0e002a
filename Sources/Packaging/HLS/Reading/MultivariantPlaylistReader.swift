// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Reads the lines of a multivariant playlist, one by one.
struct MultivariantPlaylistReader {
    var reading: HLSReading
    private var playlist: HLSMultivariantPlaylist
    /// The last EXT-X-STREAM-INF, until its URI line is read.
    private var pending: (variant: HLSVariant, line: Int)?
    private var seen: Set<String> = []

    init(_ reading: HLSReading) {
        self.reading = reading
        playlist = HLSMultivariantPlaylist(url: reading.url)
    }

    mutating func read(_ line: HLSLine) throws(HLSPlaylistError) {
        switch line.content {
        case .uri(let text): try readURI(text, line.number)
        case .tag(let name, let value): try readTag(name, value, line.number)
        }
    }

    consuming func finish() -> HLSMultivariantPlaylist {
        dropPending()
        checkGroups()
        playlist.variables = reading.variables
        playlist.notices = reading.notices
        return playlist
    }

    private mutating func readURI(_ text: ArraySlice<UInt8>, _ line: Int) throws(HLSPlaylistError) {
        let reference = try reading.replacingVariables(String(decoding: text, as: UTF8.self), tag: "", line: line)
        guard var variant = pending?.variant else { return reading.note(.missingDuration, line, reference) }
        variant.url = try reading.resolve(reference, line: line)
        pending = nil
        try append(variant, to: \.variants, line)
    }

    private mutating func readTag(_ name: String, _ value: ArraySlice<UInt8>, _ line: Int) throws(HLSPlaylistError) {
        switch name {
        case "EXT-X-STREAM-INF":
            dropPending()
            pending = (try variant(value, name, line), line)
        case "EXT-X-I-FRAME-STREAM-INF":
            var variant = try variant(value, name, line)
            guard !variant.url.isEmpty else { return reading.note(.ignoredTag, line, name) }
            variant.audioGroup = nil
            try append(variant, to: \.keyframeVariants, line)
        case "EXT-X-MEDIA": try readRendition(value, line)
        case "EXT-X-SESSION-DATA": try readSessionData(value, line)
        case "EXT-X-SESSION-KEY":
            if let key = try HLSKey(value, tag: name, line: line, reading: &reading) {
                try append(key, to: \.sessionKeys, line)
            }
        case "EXT-X-INDEPENDENT-SEGMENTS": playlist.isIndependent = true
        case "EXT-X-DEFINE": try reading.define(value, line: line)
        case "EXT-X-START": playlist.start = try HLSStart(value, line, &reading) ?? playlist.start
        case "EXT-X-CONTENT-STEERING":
            let attributes = try HLSAttributes(value, tag: name, line: line, reading: &reading)
            guard let url = try attributes.url("SERVER-URI", &reading) else {
                return reading.note(.ignoredTag, line, name)
            }
            playlist.steering = HLSContentSteering(url: url, pathway: attributes.string("PATHWAY-ID", &reading))
        case "EXT-X-VERSION": readVersion(value, line)
        case "EXTINF": throw HLSPlaylistError(.mixed, line: line, tag: name)
        case "EXT-X-TARGETDURATION", "EXT-X-MEDIA-SEQUENCE", "EXT-X-PLAYLIST-TYPE", "EXT-X-ENDLIST", "EXT-X-KEY",
            "EXT-X-MAP", "EXT-X-DISCONTINUITY-SEQUENCE", "EXT-X-I-FRAMES-ONLY":
            reading.note(.foreignTag, line, name)
        default: break
        }
    }

    private mutating func readVersion(_ value: ArraySlice<UInt8>, _ line: Int) {
        let text = String(decoding: value, as: UTF8.self)
        if !seen.insert("EXT-X-VERSION").inserted { reading.note(.duplicateTag, line, "EXT-X-VERSION") }
        guard let version = HLSSyntax.integer(text), version < 1000 else {
            return reading.note(.ignoredTag, line, "EXT-X-VERSION:\(text)")
        }
        playlist.version = Int(version)
    }

    private mutating func variant(
        _ value: ArraySlice<UInt8>,
        _ tag: String,
        _ line: Int
    ) throws(HLSPlaylistError) -> HLSVariant {
        let attributes = try HLSAttributes(value, tag: tag, line: line, reading: &reading)
        let bandwidth = attributes.integer("BANDWIDTH", &reading)
        if bandwidth ?? 0 == 0 { reading.note(.missingBandwidth, line) }
        // CLOSED-CAPTIONS is a string, or NONE without quotes.
        let captions = attributes.raw("CLOSED-CAPTIONS")
        return HLSVariant(
            url: try attributes.url("URI", &reading) ?? "",
            bandwidth: bandwidth ?? 0,
            averageBandwidth: attributes.integer("AVERAGE-BANDWIDTH", &reading),
            score: attributes.decimal("SCORE", &reading),
            codecs: Self.list(attributes.string("CODECS", &reading)),
            supplementalCodecs: Self.list(attributes.string("SUPPLEMENTAL-CODECS", &reading)),
            resolution: resolution(attributes, line),
            frameRate: attributes.decimal("FRAME-RATE", &reading).flatMap { $0 > 0 && $0 < 10_000 ? $0 : nil },
            hdcpLevel: attributes.word("HDCP-LEVEL", &reading),
            videoRange: attributes.word("VIDEO-RANGE", &reading),
            stableID: attributes.string("STABLE-VARIANT-ID", &reading),
            audioGroup: attributes.string("AUDIO", &reading),
            videoGroup: attributes.string("VIDEO", &reading),
            subtitleGroup: attributes.string("SUBTITLES", &reading),
            captionGroup: captions == "NONE" ? nil : captions,
            hasNoCaptions: captions == "NONE",
            pathway: attributes.string("PATHWAY-ID", &reading),
            name: attributes.string("NAME", &reading)
        )
    }

    private mutating func resolution(_ attributes: HLSAttributes, _ line: Int) -> HLSResolution? {
        guard let text = attributes.word("RESOLUTION", &reading) else { return nil }
        let resolution = HLSSyntax.resolution(text.lowercased())
        if resolution == nil { reading.note(.malformedAttributes, line, "RESOLUTION=\(text)") }
        return resolution
    }

    /// Codecs are separated by commas, and often by spaces as well.
    private static func list(_ text: String?) -> [String] {
        (text ?? "").split(separator: ",").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
    }

    private mutating func readRendition(_ value: ArraySlice<UInt8>, _ line: Int) throws(HLSPlaylistError) {
        let attributes = try HLSAttributes(value, tag: "EXT-X-MEDIA", line: line, reading: &reading)
        guard let word = attributes.word("TYPE", &reading), let kind = HLSRendition.Kind(rawValue: word),
            let group = attributes.string("GROUP-ID", &reading)
        else { return reading.note(.ignoredTag, line, "EXT-X-MEDIA without TYPE or GROUP-ID") }
        let isDefault = attributes.flag("DEFAULT", &reading)
        let rendition = HLSRendition(
            kind: kind,
            url: try attributes.url("URI", &reading),
            group: group,
            language: attributes.string("LANGUAGE", &reading),
            associatedLanguage: attributes.string("ASSOC-LANGUAGE", &reading),
            name: attributes.string("NAME", &reading) ?? "",
            stableID: attributes.string("STABLE-RENDITION-ID", &reading),
            isDefault: isDefault,
            isAutoselected: attributes.flag("AUTOSELECT", &reading) || isDefault,
            isForced: attributes.flag("FORCED", &reading),
            captionService: attributes.string("INSTREAM-ID", &reading),
            characteristics: Self.list(attributes.string("CHARACTERISTICS", &reading)),
            channels: attributes.string("CHANNELS", &reading),
            bitDepth: attributes.integer("BIT-DEPTH", &reading),
            sampleRate: attributes.integer("SAMPLE-RATE", &reading)
        )
        // Subtitles are never muxed into a variant (§4.3.4.1), so a rendition without a URI is useless.
        if kind == .subtitles, rendition.url == nil {
            return reading.note(.ignoredTag, line, "EXT-X-MEDIA without URI")
        }
        try append(rendition, to: \.renditions, line)
    }

    private mutating func readSessionData(_ value: ArraySlice<UInt8>, _ line: Int) throws(HLSPlaylistError) {
        let attributes = try HLSAttributes(value, tag: "EXT-X-SESSION-DATA", line: line, reading: &reading)
        guard let id = attributes.string("DATA-ID", &reading) else {
            return reading.note(.ignoredTag, line, "EXT-X-SESSION-DATA without DATA-ID")
        }
        let data = HLSSessionData(
            id: id,
            value: attributes.string("VALUE", &reading),
            url: try attributes.url("URI", &reading),
            language: attributes.string("LANGUAGE", &reading)
        )
        try append(data, to: \.sessionData, line)
    }

    private mutating func append<Entry>(
        _ entry: Entry,
        to list: WritableKeyPath<HLSMultivariantPlaylist, [Entry]>,
        _ line: Int
    ) throws(HLSPlaylistError) {
        guard playlist[keyPath: list].count < HLSLimits.entries else {
            throw HLSPlaylistError(.tooManyEntries, line: line)
        }
        playlist[keyPath: list].append(entry)
    }

    private mutating func dropPending() {
        guard let pending else { return }
        reading.note(.missingURI, pending.line, "EXT-X-STREAM-INF")
        self.pending = nil
    }

    private mutating func checkGroups() {
        let known = Set(playlist.renditions.map { "\($0.kind.rawValue):\($0.group)" })
        for variant in playlist.variants {
            let groups: [(HLSRendition.Kind, String?)] = [
                (.audio, variant.audioGroup), (.video, variant.videoGroup), (.subtitles, variant.subtitleGroup),
                (.captions, variant.captionGroup),
            ]
            for case (let kind, let group?) in groups where !known.contains("\(kind.rawValue):\(group)") {
                reading.note(.missingGroup, 0, "\(kind.rawValue)=\(group)")
            }
        }
    }
}

extension HLSStart {
    /// `nil` if the tag has no usable offset.
    init?(_ value: ArraySlice<UInt8>, _ line: Int, _ reading: inout HLSReading) throws(HLSPlaylistError) {
        let attributes = try HLSAttributes(value, tag: "EXT-X-START", line: line, reading: &reading)
        guard let offset = attributes.seconds("TIME-OFFSET", &reading) else {
            reading.note(.ignoredTag, line, "EXT-X-START without TIME-OFFSET")
            return nil
        }
        self.init(offset: offset, isPrecise: attributes.flag("PRECISE", &reading))
    }
}
