// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Reads the lines of a media playlist, one by one.
struct MediaPlaylistReader {
    var reading: HLSReading
    private var playlist: HLSMediaPlaylist
    /// The properties of the next entry, from the tags since the last one.
    private var next = PendingEntry()
    private var context = EntryContext()
    /// The previous version of the playlist, for delta updates.
    private let base: HLSMediaPlaylist?
    /// The number of entries copied from `base`.
    private var adopted = 0
    /// Indices of entries whose EXTINF has no usable duration.
    private var withoutDuration: [Int] = []
    private var partCount = 0
    private var hasTags = false
    private var dateRanges = DateRangeList()
    /// The value of each tag that applies to the playlist.
    private var seen: [String: String] = [:]
    private var declaredTarget: MediaTime?

    init(_ reading: HLSReading, continuing base: HLSMediaPlaylist?) {
        self.reading = reading
        self.base = base
        playlist = HLSMediaPlaylist(url: reading.url)
    }

    mutating func read(_ line: HLSLine) throws(HLSPlaylistError) {
        switch line.content {
        case .uri(let text): try readURI(text, line.number)
        case .tag(let name, let value):
            hasTags = hasTags || name.hasPrefix(HLSLine.tagPrefix)
            if try readEntryTag(name, value, line.number) { return }
            if try readPartTag(name, value, line.number) { return }
            try readPlaylistTag(name, value, line.number)
        }
    }

    consuming func finish() throws(HLSPlaylistError) -> HLSMediaPlaylist {
        guard hasTags else { throw HLSPlaylistError(.plainM3U) }
        if let line = next.durationLine { reading.note(.missingURI, line, "EXTINF") }
        playlist.parts = next.parts
        playlist.isOpenDiscontinuous = next.discontinuities > 0
        playlist.isOpenGap = next.isGap
        finishNumbers()
        finishDateRanges()
        finishDurations()
        HLSDates.complete(&playlist.segments) { reading.note(.datesRunBackward, 0) }
        playlist.notices = reading.notices
        return playlist
    }

    // MARK: Entries

    /// Longer durations are treated as unreadable, so that the sum of all entries stays far below 63 bits.
    private static let longestEntry = MediaTime.seconds(1_000_000)

    private mutating func readURI(_ text: ArraySlice<UInt8>, _ line: Int) throws(HLSPlaylistError) {
        let reference = try reading.replacingVariables(String(decoding: text, as: UTF8.self), tag: "", line: line)
        guard next.durationLine != nil else { return reading.note(.missingDuration, line, reference) }
        if playlist.hasEnded { reading.note(.entryAfterEnd, line, reference) }
        guard playlist.segments.count < HLSLimits.entries else { throw HLSPlaylistError(.tooManyEntries, line: line) }
        let url = try reading.resolve(reference, line: line)
        let range = try context.ranges.take(next.range, of: url, line: next.rangeLine, tag: "EXT-X-BYTERANGE")
        context.discontinuities += next.discontinuities
        if next.duration == nil { withoutDuration.append(playlist.segments.count) }
        playlist.segments.append(
            HLSSegment(
                sequence: Int64(playlist.segments.count),
                discontinuity: context.discontinuities,
                url: url,
                byteRange: range,
                duration: next.duration ?? .zero,
                isDurationRounded: next.isDurationRounded,
                title: next.title,
                isDiscontinuous: next.discontinuities > 0,
                isGap: next.isGap,
                keys: context.keys,
                map: context.map,
                date: next.date,
                isDateDeclared: next.date != nil,
                bitrate: range == nil ? context.bitrate : nil,
                parts: next.parts,
                marks: next.marks
            )
        )
        next = PendingEntry()
    }

    /// - Returns: whether the tag applies to entries.
    private mutating func readEntryTag(
        _ name: String,
        _ value: ArraySlice<UInt8>,
        _ line: Int
    ) throws(HLSPlaylistError) -> Bool {
        switch name {
        case "EXTINF": readDuration(value, line)
        case "EXT-X-BYTERANGE":
            let text = try reading.replacingVariables(String(decoding: value, as: UTF8.self), tag: name, line: line)
            guard let range = HLSSyntax.byteRange(text.filter { $0 != "\"" }) else {
                throw HLSPlaylistError(.malformed(attribute: ""), line: line, tag: name, found: text)
            }
            next.range = range
            next.rangeLine = line
        case "EXT-X-DISCONTINUITY": next.discontinuities += 1
        case "EXT-X-GAP": next.isGap = true
        case "EXT-X-KEY": try context.readKey(value, line, &reading)
        case "EXT-X-MAP": try context.readMap(value, line, &reading)
        case "EXT-X-PROGRAM-DATE-TIME":
            let text = String(decoding: value, as: UTF8.self)
            guard let date = HLSSyntax.date(text) else {
                reading.note(.ignoredTag, line, "\(name):\(text)")
                return true
            }
            if !date.hasZone { reading.note(.missingTimeZone, line, text) }
            next.date = date.time
        case "EXT-X-BITRATE":
            let text = String(decoding: value, as: UTF8.self)
            context.bitrate = HLSSyntax.integer(text)
            if context.bitrate == nil { reading.note(.ignoredTag, line, "\(name):\(text)") }
        default:
            guard let mark = try HLSAdMark(tag: name, value: value, line: line, reading: &reading) else { return false }
            guard next.marks.count < HLSLimits.attributes else {
                throw HLSPlaylistError(.tooManyEntries, line: line, tag: name)
            }
            next.marks.append(mark)
        }
        return true
    }

    /// `<duration>,[<title>]`.
    private mutating func readDuration(_ value: ArraySlice<UInt8>, _ line: Int) {
        if let earlier = next.durationLine { reading.note(.missingURI, earlier, "EXTINF") }
        next.durationLine = line
        let comma = value.firstIndex(of: UInt8(ascii: ","))
        next.title = comma.map { String(decoding: HLSLines.trimmed(value[($0 + 1)...]), as: UTF8.self) } ?? ""
        if comma == nil { reading.note(.missingComma, line, String(decoding: value, as: UTF8.self)) }
        let number = HLSLines.trimmed(value[..<(comma ?? value.endIndex)])
        guard let (duration, rest) = HLSSyntax.leadingSeconds(number),
            (MediaTime.zero...Self.longestEntry).contains(duration)
        else {
            next.duration = nil
            return reading.note(.unreadableDuration, line, String(decoding: value, as: UTF8.self))
        }
        if !rest.isEmpty { reading.note(.textAfterDuration, line, String(decoding: value, as: UTF8.self)) }
        next.duration = duration
        next.isDurationRounded = !number.contains(UInt8(ascii: "."))
    }

    // MARK: Partial segments

    /// - Returns: whether the tag belongs to low-latency HLS.
    private mutating func readPartTag(
        _ name: String,
        _ value: ArraySlice<UInt8>,
        _ line: Int
    ) throws(HLSPlaylistError) -> Bool {
        switch name {
        case "EXT-X-PART": try readPart(value, line)
        case "EXT-X-PART-INF":
            let attributes = try HLSAttributes(value, tag: name, line: line, reading: &reading)
            playlist.partTarget = attributes.seconds("PART-TARGET", &reading).flatMap { $0 > .zero ? $0 : nil }
        case "EXT-X-PRELOAD-HINT":
            let attributes = try HLSAttributes(value, tag: name, line: line, reading: &reading)
            guard let word = attributes.word("TYPE", &reading), let kind = HLSPreloadHint.Kind(rawValue: word),
                let url = try attributes.url("URI", &reading), playlist.preloadHints.count < HLSLimits.attributes
            else {
                reading.note(.ignoredTag, line, name)
                return true
            }
            let offset = attributes.integer("BYTERANGE-START", &reading) ?? 0
            let length = attributes.integer("BYTERANGE-LENGTH", &reading)
            guard !offset.addingReportingOverflow(length ?? 0).overflow else {
                throw attributes.malformed("BYTERANGE-LENGTH")
            }
            playlist.preloadHints.append(HLSPreloadHint(kind: kind, url: url, offset: offset, length: length))
        case "EXT-X-RENDITION-REPORT":
            let attributes = try HLSAttributes(value, tag: name, line: line, reading: &reading)
            guard let url = try attributes.url("URI", &reading) else {
                reading.note(.ignoredTag, line, name)
                return true
            }
            guard playlist.reports.count < HLSLimits.entries else {
                throw HLSPlaylistError(.tooManyEntries, line: line, tag: name)
            }
            playlist.reports.append(
                HLSRenditionReport(
                    url: url,
                    lastSequence: attributes.integer("LAST-MSN", &reading),
                    lastPart: attributes.integer("LAST-PART", &reading)
                )
            )
        case "EXT-X-SKIP": try readSkip(value, line)
        default: return false
        }
        return true
    }

    /// Copies the entries that a delta update skips from `base`. The keys, the map and the byte range of the last one
    /// apply to the entries that follow.
    private mutating func readSkip(_ value: ArraySlice<UInt8>, _ line: Int) throws(HLSPlaylistError) {
        let tag = "EXT-X-SKIP"
        let attributes = try HLSAttributes(value, tag: tag, line: line, reading: &reading)
        guard let count = attributes.integer("SKIPPED-SEGMENTS", &reading), count <= HLSLimits.entries,
            playlist.segments.isEmpty, playlist.skip == nil
        else { throw attributes.malformed("SKIPPED-SEGMENTS") }
        let removed = attributes.string("RECENTLY-REMOVED-DATERANGES", &reading) ?? ""
        playlist.skip = HLSSkip(
            segments: Int(count),
            removedDateRanges: removed.split(separator: "\t").map { String($0) }
        )
        let first = base?.segments.first?.sequence ?? 0
        let start = playlist.mediaSequence - first
        guard let base, start >= 0, start + count <= base.segments.count else {
            throw HLSPlaylistError(
                .skippedTooMuch,
                line: line,
                tag: tag,
                found: "\(count) from \(playlist.mediaSequence)"
            )
        }
        playlist.segments = Array(base.segments[Int(start)..<Int(start + count)])
        adopted = Int(count)
        if let last = playlist.segments.last { context = EntryContext(after: last) }
    }

    private mutating func readPart(_ value: ArraySlice<UInt8>, _ line: Int) throws(HLSPlaylistError) {
        let tag = "EXT-X-PART"
        let attributes = try HLSAttributes(value, tag: tag, line: line, reading: &reading)
        guard let url = try attributes.url("URI", &reading) else { throw attributes.missing("URI") }
        guard !attributes.isDoubtful else { throw attributes.malformed("URI") }
        partCount += 1
        guard partCount <= HLSLimits.entries else { throw HLSPlaylistError(.tooManyEntries, line: line, tag: tag) }
        var range: (length: Int64, offset: Int64?)?
        if let text = attributes.string("BYTERANGE", &reading) {
            range = HLSSyntax.byteRange(text)
            guard range != nil else { throw attributes.malformed("BYTERANGE") }
        }
        var duration = attributes.seconds("DURATION", &reading)
        if duration.map({ $0 < .zero }) ?? true {
            reading.note(.unreadableDuration, line, tag)
            duration = playlist.partTarget
        }
        next.parts.append(
            HLSPart(
                url: url,
                byteRange: try next.partRanges.take(range, of: url, line: line, tag: tag),
                duration: duration ?? .zero,
                isIndependent: attributes.flag("INDEPENDENT", &reading),
                isGap: attributes.flag("GAP", &reading),
                keys: context.keys,
                map: context.map
            )
        )
    }

    // MARK: The playlist

    private mutating func readPlaylistTag(
        _ name: String,
        _ value: ArraySlice<UInt8>,
        _ line: Int
    ) throws(HLSPlaylistError) {
        let text = String(decoding: value, as: UTF8.self)
        switch name {
        case "EXT-X-TARGETDURATION":
            guard isFirst(name, text, line) else { return }
            let number = HLSSyntax.leadingSeconds(value)
            guard let number, number.time > .zero else { return reading.note(.ignoredTag, line, "\(name):\(text)") }
            if !number.rest.isEmpty { reading.note(.textAfterDuration, line, "\(name):\(text)") }
            declaredTarget = number.time
        case "EXT-X-MEDIA-SEQUENCE": playlist.mediaSequence = try number(name, text, line) ?? playlist.mediaSequence
        case "EXT-X-DISCONTINUITY-SEQUENCE":
            playlist.discontinuitySequence = try number(name, text, line) ?? playlist.discontinuitySequence
        case "EXT-X-ENDLIST": playlist.hasEnded = true
        case "EXT-X-PLAYLIST-TYPE":
            guard isFirst(name, text, line) else { return }
            playlist.kind = HLSMediaPlaylist.Kind(rawValue: text.uppercased())
            if playlist.kind == nil { reading.note(.ignoredTag, line, "\(name):\(text)") }
        case "EXT-X-VERSION":
            guard isFirst(name, text, line) else { return }
            playlist.version = HLSSyntax.integer(text).flatMap { $0 < 1000 ? Int($0) : nil }
            if playlist.version == nil { reading.note(.ignoredTag, line, "\(name):\(text)") }
        case "EXT-X-I-FRAMES-ONLY": playlist.isKeyframesOnly = true
        case "EXT-X-INDEPENDENT-SEGMENTS": playlist.isIndependent = true
        case "EXT-X-DEFINE": try reading.define(value, line: line)
        case "EXT-X-START": playlist.start = try HLSStart(value, line, &reading) ?? playlist.start
        case "EXT-X-SERVER-CONTROL":
            let attributes = try HLSAttributes(value, tag: name, line: line, reading: &reading)
            playlist.control = HLSServerControl(
                canBlock: attributes.flag("CAN-BLOCK-RELOAD", &reading),
                skipBoundary: attributes.seconds("CAN-SKIP-UNTIL", &reading),
                canSkipDateRanges: attributes.flag("CAN-SKIP-DATERANGES", &reading),
                holdBack: attributes.seconds("HOLD-BACK", &reading),
                partHoldBack: attributes.seconds("PART-HOLD-BACK", &reading)
            )
        case "EXT-X-DATERANGE": try readDateRange(value, line)
        case "EXT-X-STREAM-INF": throw HLSPlaylistError(.mixed, line: line, tag: name)
        case "EXT-X-MEDIA", "EXT-X-SESSION-DATA", "EXT-X-SESSION-KEY":
            reading.note(.foreignTag, line, name)
        // Unknown tags are ignored (§6.3.1), and so are those without effect, such as EXT-X-ALLOW-CACHE.
        default: break
        }
    }

    /// Whether a tag that applies to the playlist appears for the first time.
    private mutating func isFirst(_ name: String, _ text: String, _ line: Int) -> Bool {
        let isFirst = seen.updateValue(text, forKey: name) == nil
        if !isFirst { reading.note(.duplicateTag, line, "\(name):\(text)") }
        if isFirst, !playlist.segments.isEmpty { reading.note(.lateTag, line, "\(name):\(text)") }
        return isFirst
    }

    /// Parses a number that determines the identity of entries. Throws if an earlier tag has a different number; `nil`
    /// if it has the same.
    private mutating func number(_ name: String, _ text: String, _ line: Int) throws(HLSPlaylistError) -> Int64? {
        guard let value = HLSSyntax.integer(text), value <= HLSLimits.sequence else {
            throw HLSPlaylistError(.malformed(attribute: ""), line: line, tag: name, found: text)
        }
        if let earlier = seen[name], HLSSyntax.integer(earlier) != value {
            throw HLSPlaylistError(.contradiction, line: line, tag: name, found: text)
        }
        return isFirst(name, text, line) ? value : nil
    }

    private mutating func readDateRange(_ value: ArraySlice<UInt8>, _ line: Int) throws(HLSPlaylistError) {
        guard let range = try HLSDateRange(value, line: line, reading: &reading) else { return }
        guard dateRanges.add(range) else {
            throw HLSPlaylistError(.tooManyEntries, line: line, tag: "EXT-X-DATERANGE")
        }
    }

    private mutating func finishNumbers() {
        let discontinuity = adopted > 0 ? playlist.segments[adopted - 1].discontinuity : playlist.discontinuitySequence
        for index in playlist.segments.indices {
            playlist.segments[index].sequence = playlist.mediaSequence + Int64(index)
            if index >= adopted { playlist.segments[index].discontinuity += discontinuity }
        }
    }

    /// A delta update may also omit date ranges, if the server declares that it does.
    private mutating func finishDateRanges() {
        if let skip = playlist.skip, playlist.control.canSkipDateRanges {
            dateRanges.insert(base?.dateRanges ?? [], except: skip.removedDateRanges)
        }
        playlist.dateRanges = dateRanges.list
    }

    private mutating func finishDurations() {
        var longest = MediaTime.zero
        for index in playlist.segments.indices {
            longest = max(longest, playlist.segments[index].duration)
        }
        if declaredTarget == nil { reading.note(.missingTargetDuration, 0) }
        let rounded = MediaTime(microseconds: (longest.microseconds + 500_000) / 1_000_000 * 1_000_000)
        if let declaredTarget, rounded > declaredTarget { reading.note(.longEntry, 0, "\(longest.seconds) s") }
        playlist.targetDuration = declaredTarget ?? max(rounded, .seconds(1))
        for index in withoutDuration { playlist.segments[index].duration = playlist.targetDuration }
    }
}
