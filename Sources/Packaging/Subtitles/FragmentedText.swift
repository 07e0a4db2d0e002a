// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The samples of a text track in a segment of fragmented MP4 (ISO/IEC 14496-30).
package struct FragmentedText: Sendable {
    package enum Form: Hashable, Sendable {
        /// `stpp`: each sample is a document.
        case ttml
        /// `wvtt`: each sample is a list of cues.
        case webVTT
    }

    package struct Sample: Hashable, Sendable {
        package let start: MediaTime
        package let end: MediaTime
        package let bytes: [UInt8]
    }

    /// The maximum number of samples; further ones are ignored.
    private static let sampleLimit = 100_000

    package let form: Form
    package private(set) var samples: [Sample] = []
    /// The bytes of all samples: not more than those of the segment, because samples do not overlap.
    private var byteCount = 0

    /// - Parameter bytes: the init segment, then the segment; without a segment, there are no samples.
    /// - Returns: `nil` if the bytes are not fragmented MP4 with a text track.
    package init?(_ bytes: [UInt8]) {
        let span = bytes.span
        guard Self.beginsWithBox(span), let track = Self.track(of: span) else { return nil }
        form = track.form
        for moof in span.boxes("moof", in: 0..<span.count, limit: .max) {
            // A box with a size of 64 bits has a longer header (ISO/IEC 14496-12 §4.2).
            let isLong =
                moof.lowerBound >= 16 && span.bigEndian32(at: moof.lowerBound - 16) == 1
                && span.bigEndian32(at: moof.lowerBound - 12) == 0x6D6F_6F66
            let start = moof.lowerBound - (isLong ? 16 : 8)
            for traf in span.boxes("traf", in: moof) { read(traf, of: start, track, bytes) }
        }
    }

    private struct Track {
        var form: Form
        var id: UInt32
        var timeBase: TimeBase
        var duration: UInt32 = 0
        var byteCount: UInt32 = 0
    }

    private static func beginsWithBox(_ span: Span<UInt8>) -> Bool {
        guard span.count >= 8 else { return false }
        return ["ftyp", "styp", "moov", "moof", "sidx", "emsg", "prft", "free"].contains { name in
            name.utf8.enumerated().allSatisfy { span[4 + $0.offset] == $0.element }
        }
    }

    /// The first text track of the movie.
    private static func track(of span: Span<UInt8>) -> Track? {
        guard let moov = span.box("moov", in: 0..<span.count) else { return nil }
        for trak in span.boxes("trak", in: moov) {
            guard let mdia = span.box("mdia", in: trak), let minf = span.box("minf", in: mdia),
                let stbl = span.box("stbl", in: minf), let stsd = span.box("stsd", in: stbl),
                let mdhd = span.box("mdhd", in: mdia), let tkhd = span.box("tkhd", in: trak),
                let timescale = span.number(in: mdhd, at: span.isLong(mdhd) ? 20 : 12), timescale > 0,
                let id = span.number(in: tkhd, at: span.isLong(tkhd) ? 20 : 12)
            else { continue }
            let entries = stsd.dropFirst(8)
            let range = entries.startIndex..<entries.endIndex
            guard
                let form: Form = span.box("stpp", in: range) != nil
                    ? .ttml : span.box("wvtt", in: range) != nil ? .webVTT : nil
            else { continue }
            var track = Track(form: form, id: id, timeBase: TimeBase(1, Int64(timescale)))
            for mvex in span.boxes("mvex", in: moov) {
                for trex in span.boxes("trex", in: mvex) where span.number(in: trex, at: 4) == id {
                    track.duration = span.number(in: trex, at: 12) ?? 0
                    track.byteCount = span.number(in: trex, at: 16) ?? 0
                }
            }
            return track
        }
        return nil
    }

    /// Reads the samples of a track fragment (ISO/IEC 14496-12 §8.8.6 to §8.8.8, §8.8.12).
    ///
    /// - Parameter base: where the movie fragment begins.
    private mutating func read(_ traf: Range<Int>, of base: Int, _ track: Track, _ bytes: [UInt8]) {
        let span = bytes.span
        guard let tfhd = span.box("tfhd", in: traf), let head = span.number(in: tfhd, at: 0),
            span.number(in: tfhd, at: 4) == track.id
        else { return }
        var track = track
        var at = 8
        if head & 0x1 != 0 { at += 8 }
        if head & 0x2 != 0 { at += 4 }
        if head & 0x8 != 0 {
            track.duration = span.number(in: tfhd, at: at) ?? 0
            at += 4
        }
        if head & 0x10 != 0 { track.byteCount = span.number(in: tfhd, at: at) ?? 0 }
        var time = Int64(0)
        if let tfdt = span.box("tfdt", in: traf) {
            let isLong = span.isLong(tfdt)
            let high = isLong ? Int64(span.number(in: tfdt, at: 4) ?? 0) : 0
            // A time of more than 63 bits is invalid.
            guard high <= Int64(Int32.max) else { return }
            time = high << 32 | Int64(span.number(in: tfdt, at: isLong ? 8 : 4) ?? 0)
        }
        var position = base
        for trun in span.boxes("trun", in: traf) {
            guard let flags = span.number(in: trun, at: 0), let count = span.number(in: trun, at: 4) else { return }
            var at = 8
            if flags & 0x1 != 0 {
                position = base + Int(Int32(bitPattern: span.number(in: trun, at: at) ?? 0))
                at += 4
            }
            if flags & 0x4 != 0 { at += 4 }
            for _ in 0..<count {
                guard samples.count < Self.sampleLimit else { return }
                func field(_ flag: UInt32) -> UInt32?? {
                    guard flags & flag != 0 else { return .some(nil) }
                    defer { at += 4 }
                    return span.number(in: trun, at: at).map { .some($0) } ?? nil
                }
                guard let duration = field(0x100), let size = field(0x200), field(0x400) != nil, field(0x800) != nil
                else { return }
                let end = time &+ Int64(duration ?? track.duration)
                let (low, high) = (position, position + Int(size ?? track.byteCount))
                guard low >= 0, high <= bytes.count, end >= time, byteCount + (high - low) <= bytes.count else {
                    return
                }
                byteCount += high - low
                samples.append(
                    Sample(
                        start: MediaTime(time, in: track.timeBase),
                        end: MediaTime(end, in: track.timeBase),
                        bytes: Array(bytes[low..<high])
                    )
                )
                (time, position) = (end, high)
            }
        }
    }

    // MARK: WebVTT

    /// The samples of a WebVTT track as one WebVTT file (ISO/IEC 14496-30 §7). Cues have the times of their samples.
    package var webVTT: [UInt8] {
        var blocks: [(start: MediaTime, end: MediaTime, text: [UInt8])] = []
        var previous: (end: MediaTime, cues: [[UInt8]: Int]) = (.zero, [:])
        for sample in samples {
            var current: [[UInt8]: Int] = [:]
            for text in Self.cues(of: sample.bytes) {
                // A cue that lasts longer than its sample is repeated in the next one.
                if previous.end == sample.start, let index = previous.cues.removeValue(forKey: text) {
                    blocks[index].end = sample.end
                    current[text] = index
                } else {
                    current[text] = blocks.count
                    blocks.append((sample.start, sample.end, text))
                }
            }
            previous = (sample.end, current)
        }
        var file = Array("WEBVTT\n\n".utf8)
        for block in blocks {
            let times = (CueClock.webVTT(block.start.microseconds), CueClock.webVTT(block.end.microseconds))
            file += "\(times.0) --> \(times.1)".utf8
            file += block.text
            file += "\n\n".utf8
        }
        return file
    }

    /// The settings and the text of each cue of a sample, as they follow the times in a file.
    private static func cues(of bytes: [UInt8]) -> [[UInt8]] {
        let span = bytes.span
        return span.boxes("vttc", in: 0..<span.count).map { cue in
            let settings = span.box("sttg", in: cue).map { [0x20] + bytes[$0] } ?? []
            let payload = span.box("payl", in: cue).map { Array(bytes[$0]) } ?? []
            // An empty line would end the cue.
            let lines = payload.split(omittingEmptySubsequences: true) { $0 == 0x0A || $0 == 0x0D }
            return settings.filter { $0 != 0x0A && $0 != 0x0D } + [0x0A] + lines.joined(separator: [0x0A])
        }
    }
}
