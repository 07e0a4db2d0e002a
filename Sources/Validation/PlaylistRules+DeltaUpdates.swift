// SPDX-License-Identifier: Apache-2.0

/// The rules for delta updates (draft-pantos-hls-rfc8216bis §4.4.3.8, §4.4.5.2, §6.2.5.1).
extension PlaylistRules {
    /// Checks a playlist that was fetched as a delta update.
    ///
    /// - Parameters:
    ///   - update: with the skipped segments.
    ///   - whole: the whole playlist, fetched before.
    package static func problems(ofUpdate update: ParsedPlaylist, of whole: ParsedPlaylist) -> [ValidationProblem] {
        var collector = ProblemCollector(playlist: update)
        collector.problems = update.problems + media(update)
        if update.targetDuration != whole.targetDuration {
            collector.add("§6.2.1", "EXT-X-TARGETDURATION differs in the delta update")
        }
        if update.skipBoundary != whole.skipBoundary {
            collector.add("§6.2.5.1", of: .draft, "CAN-SKIP-UNTIL differs in the delta update")
        }
        if update.playlistType != whole.playlistType {
            collector.add("§4.3.3.5", "EXT-X-PLAYLIST-TYPE differs in the delta update")
        }
        if update.mediaSequence < whole.mediaSequence {
            collector.add("§6.2.2", "EXT-X-MEDIA-SEQUENCE is lower in the delta update")
            return collector.problems
        }
        let distance = update.mediaSequence - whole.mediaSequence
        for (place, segment) in update.segments.enumerated() where place < whole.segments.count - distance {
            // A discontinuity before the first listed segment is counted in EXT-X-DISCONTINUITY-SEQUENCE, without a
            // tag.
            let known = whole.segments[place + distance]
            let isSame =
                segment.uri == known.uri && segment.duration == known.duration && segment.byteRange == known.byteRange
                && (place == 0 || segment.isDiscontinuous == known.isDiscontinuous)
                && segment.map.map { update.maps[$0] } == known.map.map { whole.maps[$0] }
            guard !isSame else { continue }
            collector.add("§6.2.1", "segment \(update.mediaSequence &+ place) differs in the delta update")
            break
        }
        checkBoundary(of: update, &collector)
        return collector.problems
    }

    private static func checkBoundary(of update: ParsedPlaylist, _ collector: inout ProblemCollector) {
        guard let skipped = update.skippedSegments, skipped > 0, skipped <= update.segments.count else { return }
        let listed = update.segments[skipped...].reduce(0) { $0 + $1.duration }
        // Durations have as few as three decimals, and their sum is rounded.
        if listed < (update.skipBoundary ?? 0) - 0.001 * Double(update.segments.count - skipped) {
            collector.add(
                "§6.2.5.1",
                of: .draft,
                "only the last \(listed) s are listed, less than CAN-SKIP-UNTIL \(update.skipBoundary ?? 0)"
            )
        }
    }

    /// Checks the boundary that a media playlist announces.
    static func checkSkipBoundary(_ playlist: ParsedPlaylist, _ collector: inout ProblemCollector) {
        guard let boundary = playlist.skipBoundary, boundary < 6 * Double(playlist.targetDuration ?? 0) else { return }
        collector.add(
            "§4.4.3.8",
            of: .draft,
            "CAN-SKIP-UNTIL \(boundary) is less than six times TARGETDURATION \(playlist.targetDuration ?? 0)"
        )
    }

    /// The problem of a playlist that leaves segments out, although its request did not permit that.
    static func unexpectedSkip(in playlist: ParsedPlaylist) -> [ValidationProblem] {
        guard playlist.skippedSegments != nil else { return [] }
        var collector = ProblemCollector(playlist: playlist)
        collector.add("§6.2.5.1", of: .draft, "it has EXT-X-SKIP, although no delta update was requested")
        return collector.problems
    }
}
