// SPDX-License-Identifier: Apache-2.0

/// Parses a playlist (RFC 8216 §4) line by line and records syntax errors.
package struct PlaylistParser {
    /// The largest playlist that is parsed. 24 hours of two-second segments are well below it.
    package static let byteLimit = 8 << 20
    private static let problemLimit = 100

    private var playlist: ParsedPlaylist
    /// The version that a delta update completes.
    private let base: ParsedPlaylist?
    /// Index into `playlist.maps`.
    private var currentMap: Int?
    private var duration: Double?
    private var isDiscontinuous = false
    private var pendingRange: (length: Int, offset: Int?)?
    private var rangeEnd: [String: Int] = [:]
    private var pendingVariant: PlaylistAttributes?
    private var seen: Set<String> = []

    /// - Parameter base: an earlier version of the playlist, which a delta update completes.
    package static func parse(_ bytes: [UInt8], uri: String, updating base: ParsedPlaylist? = nil) -> ParsedPlaylist {
        var parser = PlaylistParser(uri: uri, base: base)
        parser.read(bytes)
        return parser.playlist
    }

    private init(uri: String, base: ParsedPlaylist?) {
        playlist = ParsedPlaylist(uri: uri)
        self.base = base
    }

    private mutating func read(_ bytes: [UInt8]) {
        guard bytes.count <= Self.byteLimit else { return note("§4", "the playlist has \(bytes.count) bytes") }
        guard let text = String(validating: bytes, as: UTF8.self) else { return note("§4.1", "it is not UTF-8") }
        if text.hasPrefix("\u{FEFF}") { note("§4.1", "it begins with a byte order mark") }
        let lines = text.split(omittingEmptySubsequences: true) { $0.isNewline }
        guard lines.first == "#EXTM3U" else { return note("§4.3.1.1", "the first line is not #EXTM3U") }
        for line in lines.dropFirst() {
            if line.hasPrefix("#EXT") { tag(line) } else if !line.hasPrefix("#") { uri(String(line)) }
        }
        if duration != nil { note("§4.3.2.1", "an EXTINF has no segment after it") }
        if pendingVariant != nil { note("§4.3.4.2", "an EXT-X-STREAM-INF has no URI after it") }
    }

    private mutating func tag(_ line: Substring) {
        let parts = line.split(separator: ":", maxSplits: 1)
        let value = parts.count > 1 ? parts[1] : ""
        switch parts[0] {
        case "#EXTM3U": note("§4.3.1.1", "#EXTM3U appears twice")
        case "#EXT-X-VERSION": once("VERSION") { $0.playlist.version = $0.integer(value, "§4.3.1.2", "EXT-X-VERSION") }
        case "#EXT-X-INDEPENDENT-SEGMENTS": playlist.isIndependent = true
        case "#EXT-X-TARGETDURATION":
            once("TARGETDURATION") {
                $0.playlist.targetDuration = $0.integer(value, "§4.3.3.1", "EXT-X-TARGETDURATION")
            }
        case "#EXT-X-MEDIA-SEQUENCE":
            if !playlist.segments.isEmpty { note("§4.3.3.2", "EXT-X-MEDIA-SEQUENCE comes after a segment") }
            playlist.mediaSequence = integer(value, "§4.3.3.2", "EXT-X-MEDIA-SEQUENCE") ?? 0
        case "#EXT-X-SERVER-CONTROL":
            let control = attributes(value, "§4.4.3.8", of: .draft)
            guard let text = control["CAN-SKIP-UNTIL"] else { break }
            playlist.skipBoundary = Double(text)
            if playlist.skipBoundary == nil {
                note("§4.4.3.8", "CAN-SKIP-UNTIL \"\(text.prefix(20))\" is not a number", of: .draft)
            }
        case "#EXT-X-SKIP": once("SKIP") { $0.skip($0.attributes(value, "§4.4.5.2", of: .draft)) }
        case "#EXT-X-PLAYLIST-TYPE":
            if value != "VOD", value != "EVENT" { note("§4.3.3.5", "EXT-X-PLAYLIST-TYPE is \"\(value.prefix(20))\"") }
            playlist.playlistType = String(value)
        case "#EXT-X-ENDLIST": playlist.hasEndList = true
        case "#EXTINF": information(value)
        case "#EXT-X-DISCONTINUITY": isDiscontinuous = true
        case "#EXT-X-BYTERANGE": pendingRange = range(value, "§4.3.2.2")
        case "#EXT-X-MAP": map(attributes(value, "§4.3.2.5"))
        case "#EXT-X-KEY": playlist.isEncrypted = attributes(value, "§4.3.2.4")["METHOD"] != "NONE"
        case "#EXT-X-MEDIA": playlist.renditions.append(attributes(value, "§4.3.4.1"))
        case "#EXT-X-I-FRAMES-ONLY": playlist.isKeyframesOnly = true
        case "#EXT-X-I-FRAME-STREAM-INF":
            let variant = attributes(value, "§4.3.4.3")
            playlist.keyframeVariants.append(ParsedPlaylist.Variant(uri: variant["URI"] ?? "", attributes: variant))
        case "#EXT-X-STREAM-INF":
            if pendingVariant != nil { note("§4.3.4.2", "an EXT-X-STREAM-INF has no URI after it") }
            pendingVariant = attributes(value, "§4.3.4.2")
        default: break  // Clients ignore tags they do not know (§6.3.1).
        }
    }

    private mutating func information(_ value: Substring) {
        if duration != nil { note("§4.3.2.1", "an EXTINF has no segment after it") }
        let number = value.prefix { $0 != "," }
        if number.count == value.count { note("§4.3.2.1", "EXTINF:\(value.prefix(20)) has no comma") }
        guard let seconds = Double(number), seconds.isFinite, seconds >= 0 else {
            note("§4.3.2.1", "EXTINF \"\(number.prefix(20))\" is not a valid duration")
            duration = 0
            return
        }
        if number.contains(".") { playlist.hasFractions = true }
        duration = seconds
    }

    /// Copies the segments that a delta update leaves out. The last one's map and byte range apply to what follows.
    private mutating func skip(_ attributes: PlaylistAttributes) {
        guard let text = attributes["SKIPPED-SEGMENTS"], let count = Int(text), count >= 0 else {
            return note("§4.4.5.2", "EXT-X-SKIP has no valid SKIPPED-SEGMENTS", of: .draft)
        }
        if !playlist.segments.isEmpty || duration != nil {
            return note("§4.4.5.2", "EXT-X-SKIP comes after a segment", of: .draft)
        }
        playlist.skippedSegments = count
        let known = base?.segments ?? []
        let start = playlist.mediaSequence - (base?.mediaSequence ?? 0)
        guard start >= 0, count <= known.count - start else {
            return note("§4.4.5.2", "\(count) segments are skipped, and not all are known", of: .draft)
        }
        let mapsBefore = playlist.maps.count
        playlist.maps += base?.maps ?? []
        for var segment in known[start..<start + count] {
            segment.map = segment.map.map { $0 + mapsBefore } ?? currentMap
            if let slice = segment.byteRange {
                rangeEnd[segment.uri] = slice.offset.addingReportingOverflow(slice.length).partialValue
            }
            playlist.segments.append(segment)
        }
        currentMap = playlist.segments.last?.map ?? currentMap
    }

    private mutating func map(_ attributes: PlaylistAttributes) {
        guard let uri = attributes["URI"] else { return note("§4.3.2.5", "EXT-X-MAP has no URI") }
        let slice = attributes["BYTERANGE"].flatMap { range($0[...], "§4.3.2.5") }
        playlist.maps.append(
            ParsedPlaylist.Map(
                uri: uri,
                byteRange: slice.map { ParsedPlaylist.ByteSlice(offset: $0.offset ?? 0, length: $0.length) }
            )
        )
        currentMap = playlist.maps.count - 1
    }

    private mutating func uri(_ uri: String) {
        if let variant = pendingVariant {
            pendingVariant = nil
            playlist.variants.append(ParsedPlaylist.Variant(uri: uri, attributes: variant))
            return
        }
        guard let seconds = duration else { return note("§4.3.2.1", "\(uri.prefix(60)) has no EXTINF") }
        var slice: ParsedPlaylist.ByteSlice?
        if let range = pendingRange {
            let offset = range.offset ?? rangeEnd[uri]
            if offset == nil { note("§4.3.2.2", "an EXT-X-BYTERANGE has no offset and no preceding range") }
            slice = ParsedPlaylist.ByteSlice(offset: offset ?? 0, length: range.length)
            rangeEnd[uri] = (offset ?? 0).addingReportingOverflow(range.length).partialValue
        }
        playlist.segments.append(
            ParsedPlaylist.Segment(
                uri: uri,
                duration: seconds,
                isDiscontinuous: isDiscontinuous,
                byteRange: slice,
                map: currentMap
            )
        )
        duration = nil
        isDiscontinuous = false
        pendingRange = nil
    }

    private mutating func range(_ text: Substring, _ rule: String) -> (length: Int, offset: Int?)? {
        let parts = text.split(separator: "@", maxSplits: 1)
        guard let first = parts.first, let length = Int(first), length > 0 else {
            note(rule, "\"\(text.prefix(40))\" is not a valid byte range")
            return nil
        }
        let offset = parts.count > 1 ? Int(parts[1]) : nil
        if parts.count > 1, (offset ?? -1) < 0 {
            note(rule, "\"\(text.prefix(40))\" is not a valid byte range")
            return nil
        }
        return (length, offset)
    }

    private mutating func attributes(
        _ text: Substring,
        _ rule: String,
        of document: ValidationProblem.Document = .standard
    ) -> PlaylistAttributes {
        let attributes = PlaylistAttributes(text)
        for fault in attributes.faults { note(rule, fault, of: document) }
        return attributes
    }

    private mutating func integer(_ text: Substring, _ rule: String, _ name: String) -> Int? {
        if let value = Int(text), value >= 0 { return value }
        note(rule, "\(name) \"\(text.prefix(20))\" is not a number")
        return nil
    }

    private mutating func once(_ name: String, _ body: (inout PlaylistParser) -> Void) {
        if !seen.insert(name).inserted { note("§4.3", "EXT-X-\(name) appears twice") }
        body(&self)
    }

    private mutating func note(
        _ section: String,
        _ message: String,
        of document: ValidationProblem.Document = .standard
    ) {
        guard playlist.problems.count < Self.problemLimit else { return }
        playlist.problems.append(ValidationProblem("\(document.rawValue) \(section)", playlist.uri, message))
    }
}
