// SPDX-License-Identifier: Apache-2.0

/// What a `moof` box states about the samples of each track (ISO/IEC 14496-12 §8.8.4).
package struct MovieFragment: Sendable {
    /// The samples of one track, in ticks of the track. Decode times count from the start of the movie.
    struct Run: Sendable {
        /// The decode time of the first sample (`tfdt`). `nil` if it follows from the fragments before this one.
        var start: Int64?
        var duration: Int64 = 0
        /// How long after `start` the first sync sample is decoded. `nil` if there is none.
        var firstSyncOffset: Int64?

        /// A sample cannot be decoded on its own if it is `sample_is_non_sync_sample`, or its `sample_depends_on` is 1.
        private static let dependent: UInt32 = 0x0101_0000

        /// Adds samples of equal length. Returns `false` if the run becomes implausibly long.
        mutating func add(
            _ count: Int,
            lasting each: UInt32,
            firstFlags: UInt32,
            otherFlags: UInt32,
            isAudio: Bool
        ) -> Bool {
            if firstSyncOffset == nil, count > 0 {
                if isAudio || firstFlags & Self.dependent == 0 {
                    firstSyncOffset = duration
                } else if count > 1, otherFlags & Self.dependent == 0 {
                    firstSyncOffset = duration + Int64(each)
                }
            }
            let (length, overflow) = Int64(each).multipliedReportingOverflow(by: Int64(count))
            guard !overflow, length < 1 << 60, duration < 1 << 60 else { return false }
            duration += length
            return true
        }
    }

    /// The parts of a `tfhd` box, or the defaults of the movie.
    private struct Defaults {
        var duration: UInt32
        var flags: UInt32
    }

    /// By track ID.
    private(set) var runs: [UInt32: Run] = [:]
    /// Whether composition offsets may be negative. libavformat of FFmpeg 5.1 delays all pictures of a track by the
    /// largest negative offset that it has read so far (`dts_shift`).
    package private(set) var hasSignedOffsets = false

    /// Whether the fragment states where it belongs, so that a demuxer can begin with it.
    package var isPlaced: Bool { !runs.isEmpty && runs.values.allSatisfy { $0.start != nil } }

    /// The decode time of a track's first sample. `nil` if the track has none here, or the time is not stated.
    package func start(ofTrack identifier: UInt32) -> Int64? { runs[identifier]?.start }

    /// Returns `nil` if the bytes are not a fragment of the movie.
    ///
    /// - Parameter bytes: those of a whole `moof` box.
    package init?(_ bytes: [UInt8], of movie: FragmentedMovie) {
        let span = bytes.span
        guard let moof = span.box("moof", in: 0..<span.count), moof.upperBound == span.count,
            span.box("mfhd", in: moof) != nil
        else { return nil }
        for traf in span.boxes("traf", in: moof) {
            guard let tfhd = span.box("tfhd", in: traf), tfhd.count >= 8 else { return nil }
            let identifier = span.bigEndian32(at: tfhd.lowerBound + 4)
            guard let track = movie.tracks[identifier], let defaults = Self.defaults(span, tfhd, track) else {
                continue
            }
            var run = runs[identifier] ?? Run(start: Self.start(span, traf))
            for trun in span.boxes("trun", in: traf, limit: 1 << 16) {
                guard add(span, trun, to: &run, defaults, isAudio: track.kind == .audio) else { return nil }
            }
            runs[identifier] = run
        }
        guard !runs.isEmpty else { return nil }
    }

    private static func defaults(
        _ span: Span<UInt8>,
        _ tfhd: Range<Int>,
        _ track: FragmentedMovie.Track
    ) -> Defaults? {
        let present = span.bigEndian32(at: tfhd.lowerBound)
        var at = tfhd.lowerBound + 8
        func take(_ flag: UInt32, _ count: Int) -> Int? {
            guard present & flag != 0 else { return nil }
            defer { at += count }
            return at
        }
        _ = take(0x1, 8)  // base_data_offset
        _ = take(0x2, 4)  // sample_description_index
        let duration = take(0x8, 4)  // default_sample_duration
        _ = take(0x10, 4)  // default_sample_size
        let flags = take(0x20, 4)  // default_sample_flags
        guard at <= tfhd.upperBound else { return nil }
        return Defaults(
            duration: duration.map { span.bigEndian32(at: $0) } ?? track.sampleDuration,
            flags: flags.map { span.bigEndian32(at: $0) } ?? track.sampleFlags
        )
    }

    private static func start(_ span: Span<UInt8>, _ traf: Range<Int>) -> Int64? {
        guard let tfdt = span.box("tfdt", in: traf), tfdt.count >= 8 else { return nil }
        guard span.isLong(tfdt) else { return Int64(span.bigEndian32(at: tfdt.lowerBound + 4)) }
        guard tfdt.count >= 12 else { return nil }
        let time = span.bigEndian64(at: tfdt.lowerBound + 4)
        return (0..<1 << 62).contains(time) ? time : nil
    }

    /// Adds the samples of a `trun` box (§8.8.8). Returns `false` if the box is damaged.
    private mutating func add(
        _ span: Span<UInt8>,
        _ trun: Range<Int>,
        to run: inout Run,
        _ defaults: Defaults,
        isAudio: Bool
    ) -> Bool {
        guard trun.count >= 8 else { return false }
        let present = span.bigEndian32(at: trun.lowerBound)
        let count = Int(span.bigEndian32(at: trun.lowerBound + 4))
        if present >> 24 != 0, present & 0x800 != 0 { hasSignedOffsets = true }
        var at = trun.lowerBound + 8 + (present & 0x1 != 0 ? 4 : 0)
        var first: UInt32?
        if present & 0x4 != 0 {
            guard at + 4 <= trun.upperBound else { return false }
            first = span.bigEndian32(at: at)
            at += 4
        }
        let size = 4 * (present & 0xF00).nonzeroBitCount
        guard at <= trun.upperBound else { return false }
        if size == 0 {
            return run.add(
                count,
                lasting: defaults.duration,
                firstFlags: first ?? defaults.flags,
                otherFlags: defaults.flags,
                isAudio: isAudio
            )
        }
        guard count <= (trun.upperBound - at) / size else { return false }
        for index in 0..<count {
            var field = at + index * size
            var duration = defaults.duration
            var flags = index == 0 ? first ?? defaults.flags : defaults.flags
            if present & 0x100 != 0 {  // sample_duration
                duration = span.bigEndian32(at: field)
                field += 4
            }
            if present & 0x200 != 0 { field += 4 }  // sample_size
            if present & 0x400 != 0 { flags = span.bigEndian32(at: field) }  // sample_flags
            guard run.add(1, lasting: duration, firstFlags: flags, otherFlags: flags, isAudio: isAudio) else {
                return false
            }
        }
        return true
    }
}
