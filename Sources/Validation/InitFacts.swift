// SPDX-License-Identifier: Apache-2.0

internal import Packaging

/// The contents of an init segment, limited to what is needed to check segments.
package struct InitFacts: Hashable, Sendable {
    package struct Track: Hashable, Sendable {
        package var id: UInt32
        package var timescale: UInt32
        /// `vide`, `soun`, …
        package var handler: String
        /// The sample entry's type.
        package var format: String
        /// Defaults of `trex` (§8.8.3).
        package var defaultDuration: UInt32 = 0
        package var defaultSize: UInt32 = 0
        package var defaultFlags: UInt32 = 0
        /// Where presentation starts in the media, in ticks: `media_time` of the edit list (§8.6.6), or 0.
        package var presentationStart: Int64 = 0
        /// What AV1 and VP9 demand of a decoder. `nil` for other formats.
        package var demand: DecoderDemand?
    }

    package var tracks: [Track] = []

    package init() {}

    /// Parses and checks an init segment (ISO/IEC 14496-12 §8, ISO/IEC 23000-19 §7).
    package static func read(_ bytes: [UInt8], subject: String) -> (facts: InitFacts, problems: [ValidationProblem]) {
        var facts = InitFacts()
        var problems: [ValidationProblem] = []
        func note(_ section: String, _ message: String) {
            problems.append(ValidationProblem("ISO/IEC 14496-12 §\(section)", subject, message))
        }
        let boxes: [BoxNode]
        do throws(PackagingError) {
            boxes = try BoxNode.read(bytes)
        } catch {
            note("4.2", error.message)
            return (facts, problems)
        }
        if boxes.first?.type != "ftyp" { note("4.3", "it does not begin with ftyp") }
        if boxes.contains(where: { $0.type == "mdat" || $0.type == "moof" }) {
            note("8.8", "an init segment contains media")
        }
        guard let moov = boxes.first(where: { $0.type == "moov" }) else {
            note("8.2.1", "there is no moov")
            return (facts, problems)
        }
        if moov.first("mvhd") == nil { note("8.2.2", "there is no mvhd") }
        let extends = moov.first("mvex")?.all("trex") ?? []
        if extends.isEmpty { note("8.8.3", "there is no trex") }
        if moov.all("trak").isEmpty { note("8.3.1", "there is no trak") }
        for trak in moov.all("trak") {
            do throws(PackagingError) {
                var track = try Track(trak, bytes)
                if try !track.readDefaults(extends, bytes) { note("8.8.3", "track \(track.id) has no trex") }
                if track.timescale == 0 { note("8.4.2", "track \(track.id) has a timescale of 0") }
                facts.tracks.append(track)
            } catch {
                note("8.3.1", error.message)
            }
        }
        return (facts, problems)
    }
}

extension InitFacts.Track {
    fileprivate init(_ trak: BoxNode, _ bytes: [UInt8]) throws(PackagingError) {
        guard let tkhd = trak.first("tkhd"), let mdia = trak.first("mdia"), let mdhd = mdia.first("mdhd"),
            let hdlr = mdia.first("hdlr"), let stsd = mdia.first("minf")?.first("stbl")?.first("stsd")
        else { throw PackagingError(.malformed, "a trak lacks tkhd, mdhd, hdlr or stsd") }
        var header = try tkhd.fields(bytes)
        let trackVersion = try header.byte()
        try header.skip(3 + (trackVersion == 1 ? 16 : 8))
        id = try header.uint32()
        var media = try mdhd.fields(bytes)
        let mediaVersion = try media.byte()
        try media.skip(3 + (mediaVersion == 1 ? 16 : 8))
        timescale = try media.uint32()
        var kind = try hdlr.fields(bytes)
        try kind.skip(8)
        handler = String(decoding: try kind.take(4), as: UTF8.self)
        var entries = try stsd.fields(bytes)
        try entries.skip(4)
        guard try entries.uint32() > 0 else { throw PackagingError(.malformed, "stsd has no sample entry") }
        let size = try entries.uint32()
        format = String(decoding: try entries.take(4), as: UTF8.self)
        guard size >= 16, Int(size) - 8 <= entries.remaining else {
            throw PackagingError(.malformed, "the sample entry \(format) does not fit into stsd")
        }
        demand = try DecoderDemand(format: format, entry: entries.take(Int(size) - 8))
        if let edits = trak.first("edts")?.first("elst") { presentationStart = try Self.mediaTime(edits, bytes) }
    }

    /// The first `media_time` of an edit list that is not an empty edit (§8.6.6.3).
    private static func mediaTime(_ edits: BoxNode, _ bytes: [UInt8]) throws(PackagingError) -> Int64 {
        var reader = try edits.fields(bytes)
        let isLong = try reader.byte() == 1
        try reader.skip(3)
        for _ in 0..<(try reader.uint32()) {
            try reader.skip(isLong ? 8 : 4)
            let start =
                isLong
                ? Int64(bitPattern: try reader.number(byteCount: 8))
                : Int64(Int32(bitPattern: try reader.uint32()))
            try reader.skip(4)
            if start >= 0 { return start }
        }
        return 0
    }
}

extension InitFacts.Track {
    /// Copies the defaults from the track's `trex`. Returns `false` if there is none.
    fileprivate mutating func readDefaults(_ extends: [BoxNode], _ bytes: [UInt8]) throws(PackagingError) -> Bool {
        for box in extends {
            var reader = try box.fields(bytes)
            try reader.skip(4)
            guard try reader.uint32() == id else { continue }
            try reader.skip(4)
            defaultDuration = try reader.uint32()
            defaultSize = try reader.uint32()
            defaultFlags = try reader.uint32()
            return true
        }
        return false
    }
}

extension BoxNode {
    /// A reader for the fields of this box, starting with version and flags if it has them.
    func fields(_ bytes: [UInt8]) throws(PackagingError) -> ByteReader {
        ByteReader(Array(bytes[payload]), subject: type)
    }
}
