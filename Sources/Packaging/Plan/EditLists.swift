// SPDX-License-Identifier: Apache-2.0

/// Checks the edit lists of a movie (ISO/IEC 14496-12 §8.6.6).
package enum EditLists {
    /// Whether every track is presented completely and in order: optionally an empty edit, then one edit at normal
    /// speed that skips no more than priming at the start and nothing at the end, not even a sample without duration.
    ///
    /// A demuxer then need not rebuild its sample table from the edits, which is the slowest part of opening a long
    /// movie. Returns `false` in case of doubt.
    package static func areSimple(inMovie movie: [UInt8]) -> Bool {
        let span = movie.span
        guard let moov = span.box("moov", in: 0..<span.count), let header = span.box("mvhd", in: moov),
            let movieClock = clock(span, header)
        else { return false }
        return span.boxes("trak", in: moov).allSatisfy { trak in
            guard let edits = span.box("edts", in: trak), let list = span.box("elst", in: edits) else { return true }
            guard let mdia = span.box("mdia", in: trak), let mdhd = span.box("mdhd", in: mdia),
                let mediaClock = clock(span, mdhd)
            else { return false }
            return !endsWithEmptySample(span, mdia) && isSimple(span, list, movieClock, mediaClock)
        }
    }

    /// Whether the last sample of a track has no duration. Such a sample begins where presentation ends.
    private static func endsWithEmptySample(_ span: Span<UInt8>, _ mdia: Range<Int>) -> Bool {
        guard let minf = span.box("minf", in: mdia), let stbl = span.box("stbl", in: minf),
            let times = span.box("stts", in: stbl), times.count >= 16
        else { return false }
        let count = min(Int(span.bigEndian32(at: times.lowerBound + 4)), (times.count - 8) / 8)
        return count > 0 && span.bigEndian32(at: times.lowerBound + 8 * count + 4) == 0
    }

    private typealias Clock = (timescale: Int64, duration: Int64)

    /// `timescale` and `duration` of `mvhd` or `mdhd`.
    private static func clock(_ span: Span<UInt8>, _ box: Range<Int>) -> Clock? {
        guard box.count >= 20 else { return nil }
        let start = box.lowerBound
        if span[start] == 0 {
            return (Int64(span.bigEndian32(at: start + 12)), Int64(span.bigEndian32(at: start + 16)))
        }
        guard box.count >= 32 else { return nil }
        return (Int64(span.bigEndian32(at: start + 20)), span.bigEndian64(at: start + 24))
    }

    private static func isSimple(_ span: Span<UInt8>, _ list: Range<Int>, _ movie: Clock, _ media: Clock) -> Bool {
        guard list.count >= 8, movie.timescale > 0, media.timescale > 0 else { return false }
        let isLong = span[list.lowerBound] == 1
        let size = isLong ? 20 : 12
        let count = Int(span.bigEndian32(at: list.lowerBound + 4))
        guard count <= 2, list.count >= 8 + count * size else { return false }
        for index in 0..<count {
            let at = list.lowerBound + 8 + index * size
            let duration = isLong ? span.bigEndian64(at: at) : Int64(span.bigEndian32(at: at))
            let start =
                isLong ? span.bigEndian64(at: at + 8) : Int64(Int32(bitPattern: span.bigEndian32(at: at + 4)))
            guard span.bigEndian32(at: at + size - 4) == 0x1_0000 else { return false }
            if start == -1, index == 0, count == 2 { continue }
            guard index == count - 1, start >= 0, Double(start) / Double(media.timescale) < 0.25 else { return false }
            let presented = Double(duration) / Double(movie.timescale)
            let mediaSeconds = (Double(media.duration) - Double(start)) / Double(media.timescale)
            // A duration of 0 means "to the end".
            guard duration == 0 || presented > mediaSeconds - 0.005 else { return false }
        }
        return true
    }
}
