// SPDX-License-Identifier: Apache-2.0

/// The header of a movie whose samples are all in fragments (ISO/IEC 14496-12 §8.8).
package struct FragmentedMovie: Sendable {
    enum Kind: Sendable { case video, audio, other }

    struct Track: Sendable {
        /// Ticks per second.
        var timescale: Int64
        var kind: Kind
        /// The defaults of `trex`.
        var sampleDuration: UInt32 = 0
        var sampleFlags: UInt32 = 0
    }

    /// By track ID.
    let tracks: [UInt32: Track]

    /// Whether a movie announces fragments with `mvex` (§8.8.1). Its sample tables are then empty, or hold only the
    /// beginning.
    ///
    /// - Parameter movie: the bytes of a `moov` box.
    package static func isAnnounced(in movie: [UInt8]) -> Bool {
        let span = movie.span
        guard let moov = span.box("moov", in: 0..<span.count) else { return false }
        return span.box("mvex", in: moov) != nil
    }

    /// Returns `nil` if the movie announces no fragments, or has samples of its own.
    ///
    /// - Parameter movie: the bytes of a `moov` box.
    package init?(movie: [UInt8]) {
        let span = movie.span
        guard let moov = span.box("moov", in: 0..<span.count), let mvex = span.box("mvex", in: moov) else { return nil }
        var tracks: [UInt32: Track] = [:]
        for trak in span.boxes("trak", in: moov) {
            guard let tkhd = span.box("tkhd", in: trak), let mdia = span.box("mdia", in: trak),
                let mdhd = span.box("mdhd", in: mdia), let hdlr = span.box("hdlr", in: mdia),
                let identifier = span.number(in: tkhd, at: span.isLong(tkhd) ? 20 : 12),
                let timescale = span.number(in: mdhd, at: span.isLong(mdhd) ? 20 : 12), timescale > 0,
                let handler = span.number(in: hdlr, at: 8), !Self.hasSamples(span, mdia)
            else { return nil }
            tracks[identifier] = Track(timescale: Int64(timescale), kind: Self.kind(handler))
        }
        for trex in span.boxes("trex", in: mvex) where trex.count >= 24 {
            let identifier = span.bigEndian32(at: trex.lowerBound + 4)
            tracks[identifier]?.sampleDuration = span.bigEndian32(at: trex.lowerBound + 12)
            tracks[identifier]?.sampleFlags = span.bigEndian32(at: trex.lowerBound + 20)
        }
        guard !tracks.isEmpty else { return nil }
        self.tracks = tracks
    }

    private static func kind(_ handler: UInt32) -> Kind {
        switch handler {
        case ("vide" as BoxType).code: .video
        case ("soun" as BoxType).code: .audio
        default: .other
        }
    }

    /// Video and audio, which usually have samples until the movie ends.
    var audioAndVideoTracks: Set<UInt32> { Set(tracks.filter { $0.value.kind != .other }.keys) }

    private static func hasSamples(_ span: Span<UInt8>, _ mdia: Range<Int>) -> Bool {
        guard let minf = span.box("minf", in: mdia), let stbl = span.box("stbl", in: minf) else { return false }
        // In `stsz` and in `stz2`, the number of samples is the third field (§8.7.3).
        return ["stsz", "stz2"].contains { name in
            span.box(name, in: stbl).flatMap { span.number(in: $0, at: 8) } ?? 0 > 0
        }
    }
}
