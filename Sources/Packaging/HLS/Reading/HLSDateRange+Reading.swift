// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension HLSDateRange {
    /// Returns `nil`, and adds a notice, if the tag has no ID.
    init?(_ value: ArraySlice<UInt8>, line: Int, reading: inout HLSReading) throws(HLSPlaylistError) {
        let tag = "EXT-X-DATERANGE"
        let attributes = try HLSAttributes(value, tag: tag, line: line, reading: &reading)
        guard let id = attributes.string("ID", &reading) else {
            reading.note(.ignoredTag, line, "\(tag) without ID")
            return nil
        }
        self.id = id
        className = attributes.string("CLASS", &reading)
        start = attributes.date("START-DATE", &reading)
        end = attributes.date("END-DATE", &reading)
        duration = attributes.seconds("DURATION", &reading).flatMap { $0 >= .zero ? $0 : nil }
        plannedDuration = attributes.seconds("PLANNED-DURATION", &reading).flatMap { $0 >= .zero ? $0 : nil }
        endsOnNext = attributes.flag("END-ON-NEXT", &reading)
        cue = Self.words(attributes.raw("CUE"))
        scte35Command = Self.message(attributes, "SCTE35-CMD", &reading)
        scte35Out = Self.message(attributes, "SCTE35-OUT", &reading)
        scte35In = Self.message(attributes, "SCTE35-IN", &reading)
        var others: [String: String] = [:]
        for attribute in attributes.list where attribute.name.hasPrefix("X-") {
            others[attribute.name] = attribute.value
        }
        self.others = others
        let asset: HLSInterstitial.Asset? =
            if let url = try attributes.url("X-ASSET-URI", &reading) {
                .playlist(url)
            } else if let url = try attributes.url("X-ASSET-LIST", &reading) {
                .list(url)
            } else {
                nil
            }
        interstitial = asset.map { asset in
            HLSInterstitial(
                asset: asset,
                resumeOffset: attributes.raw("X-RESUME-OFFSET").flatMap(HLSSyntax.seconds),
                playoutLimit: attributes.raw("X-PLAYOUT-LIMIT").flatMap(HLSSyntax.seconds),
                restrictions: Self.words(attributes.raw("X-RESTRICT"))
            )
        }
    }

    private static func words(_ text: String?) -> [String] {
        (text ?? "").split(separator: ",").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
    }

    private static func message(
        _ attributes: HLSAttributes,
        _ name: String,
        _ reading: inout HLSReading
    ) -> [UInt8]? {
        guard let text = attributes.raw(name) else { return nil }
        let message = attributes.bytes(name, &reading) ?? SpliceMessage.bytes(text)
        if message == nil { reading.note(.malformedAttributes, attributes.line, "\(name)=\(text)") }
        return message
    }

    /// The range, completed by a later tag with the same ID, which may also end it.
    func completed(by later: HLSDateRange) -> HLSDateRange {
        var range = self
        range.className = className ?? later.className
        range.start = start ?? later.start
        range.end = later.end ?? end
        range.duration = later.duration ?? duration
        range.plannedDuration = later.plannedDuration ?? plannedDuration
        range.endsOnNext = endsOnNext || later.endsOnNext
        range.cue = cue.isEmpty ? later.cue : cue
        range.scte35Command = scte35Command ?? later.scte35Command
        range.scte35Out = scte35Out ?? later.scte35Out
        range.scte35In = later.scte35In ?? scte35In
        range.interstitial = interstitial ?? later.interstitial
        range.others.merge(later.others) { own, _ in own }
        return range
    }
}

/// The date ranges of a playlist: each ID once, in the order of first appearance.
struct DateRangeList {
    private(set) var list: [HLSDateRange] = []
    private var places: [String: Int] = [:]

    /// - Returns: `false` if there are too many.
    mutating func add(_ range: HLSDateRange) -> Bool {
        if let place = places[range.id] {
            list[place] = list[place].completed(by: range)
            return true
        }
        guard list.count < HLSLimits.entries else { return false }
        places[range.id] = list.count
        list.append(range)
        return true
    }

    /// Inserts `earlier` ranges at the front, except those in the list and those with IDs in `removed`.
    mutating func insert(_ earlier: [HLSDateRange], except removed: [String]) {
        let removed = Set(removed)
        let added = earlier.filter { places[$0.id] == nil && !removed.contains($0.id) }
        list = Array((added + list).prefix(HLSLimits.entries))
        places = Dictionary(list.enumerated().map { ($1.id, $0) }) { first, _ in first }
    }
}

extension HLSAdMark {
    /// `nil` if the tag does not mark an ad break.
    init?(tag: String, value: ArraySlice<UInt8>, line: Int, reading: inout HLSReading) throws(HLSPlaylistError) {
        let text = String(decoding: value, as: UTF8.self)
        let leading = HLSSyntax.leadingSeconds(value)
        /// The attributes by lower-case name. Empty if the value is a plain number.
        func attributes() throws(HLSPlaylistError) -> [String: String] {
            guard leading == nil || text.contains("=") else { return [:] }
            // The dialects agree neither on quotes nor on letter case, so no notices are added.
            var quiet = reading
            let list = try HLSAttributes(value, tag: tag, line: line, reading: &quiet).list
            return Dictionary(list.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
        }
        self.tag = tag
        self.value = text
        switch tag {
        case "EXT-X-CUE-OUT":
            let values = try attributes()
            kind = .breakStart(duration: leading?.time ?? values["duration"].flatMap(HLSSyntax.seconds))
            message = Self.message(values)
        case "EXT-X-CUE-OUT-CONT":
            let values = try attributes()
            var elapsed = values["elapsedtime"].flatMap(HLSSyntax.seconds)
            var duration = values["duration"].flatMap(HLSSyntax.seconds)
            if let leading {
                elapsed = leading.time
                if leading.rest.first == UInt8(ascii: "/") {
                    duration = HLSSyntax.leadingSeconds(leading.rest.dropFirst())?.time
                }
            }
            kind = .breakContinues(elapsed: elapsed, duration: duration)
            message = Self.message(values)
        case "EXT-X-CUE-IN":
            kind = .breakEnd
            message = nil
        case "EXT-X-CUE":
            // TYPE="SpliceOut" with a duration, or TYPE="SpliceIn".
            let values = try attributes()
            let duration = values["duration"].flatMap(HLSSyntax.seconds)
            kind = values["type"]?.lowercased() == "splicein" ? .breakEnd : .breakStart(duration: duration)
            message = nil
        case "EXT-OATCLS-SCTE35", "EXT-X-SPLICEPOINT-SCTE35":
            kind = .scte35
            message = SpliceMessage.bytes(text)
        case "EXT-X-SCTE35":
            kind = .scte35
            message = Self.message(try attributes())
        case "EXT-X-ASSET":
            kind = .asset
            message = nil
        default: return nil
        }
    }

    private static func message(_ values: [String: String]) -> [UInt8]? {
        (values["scte35"] ?? values["cue"]).flatMap(SpliceMessage.bytes)
    }
}

/// An SCTE 35 message as text: base64, or hexadecimal digits after `0x`.
enum SpliceMessage {
    /// `table_id` of `splice_info_section()`, its first byte.
    private static let tableID: UInt8 = 0xFC

    /// `nil` if the text is not such a message.
    static func bytes(_ text: String) -> [UInt8]? {
        guard let bytes = HLSSyntax.bytes(text) ?? Base64.bytes(text), bytes.first == tableID else { return nil }
        return bytes
    }
}

/// Base64 with the standard or the URL-safe alphabet (RFC 4648 §4, §5).
package enum Base64 {
    /// `nil` if the text contains characters other than digits and padding, or if the digits do not make up whole
    /// bytes.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        guard text.utf8.dropFirst(digits.count).allSatisfy({ $0 == UInt8(ascii: "=") }), digits.count % 4 != 1 else {
            return nil
        }
        for digit in digits {
            guard let value = value(digit) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
