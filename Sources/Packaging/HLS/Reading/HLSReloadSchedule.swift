// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Delivery directives in the query of a media playlist request (draft-pantos-hls-rfc8216bis §6.2.5).
package struct HLSDirectives: Hashable, Sendable {
    package enum Skip: String, Hashable, Sendable {
        case entries = "YES"
        /// Skips date ranges as well.
        case entriesAndDateRanges = "v2"
    }

    /// The server answers once the playlist has this entry, or this part of the entry.
    package var sequence: Int64?
    package var part: Int64?
    /// Requests a delta update.
    package var skip: Skip?

    package init(sequence: Int64? = nil, part: Int64? = nil, skip: Skip? = nil) {
        self.sequence = sequence
        self.part = part
        self.skip = skip
    }

    /// For the first request of the rendition that `report` describes: asks for the part or entry after the reported
    /// one.
    package init(after report: HLSRenditionReport) {
        sequence = report.lastSequence
        part = report.lastPart.map { $0 + 1 }
        if part == nil { sequence = sequence.map { $0 + 1 } }
    }

    package var isBlocking: Bool { sequence != nil }

    /// The URL with the directives at the end of its query, sorted by name, and without its fragment. Earlier
    /// directives are replaced.
    package func applied(to url: String) -> String {
        let head = url.prefix { $0 != "#" }
        let parts = head.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var pairs = (parts.count == 2 ? parts[1] : "").split(separator: "&").filter { !$0.hasPrefix("_HLS_") }
            .map { String($0) }
        if let sequence { pairs.append("_HLS_msn=\(sequence)") }
        if sequence != nil, let part { pairs.append("_HLS_part=\(part)") }
        if let skip { pairs.append("_HLS_skip=\(skip.rawValue)") }
        return pairs.isEmpty ? String(parts[0]) : "\(parts[0])?\(pairs.joined(separator: "&"))"
    }
}

/// When and how a media playlist is reloaded (RFC 8216 §6.3.4). Pure; times are in nanoseconds of CLOCK_MONOTONIC.
package struct HLSReloadSchedule: Hashable, Sendable {
    package struct Request: Hashable, Sendable {
        package var time: Int64
        package var directives: HLSDirectives

        package init(time: Int64, directives: HLSDirectives = HLSDirectives()) {
            self.time = time
            self.directives = directives
        }
    }

    /// After this many consecutive blocking requests without new media, the schedule stops using them.
    package static let emptyAnswerLimit = 3

    private var canBlock = true
    private var canSkip = true
    private var emptyAnswers = 0
    private var last = HLSDirectives()
    private var targetDuration = MediaTime.seconds(1)

    package init() {}

    /// The next request after a successful load.
    ///
    /// - Parameters:
    ///   - hasChanged: whether the answer had a new entry or part.
    ///   - began: when the load began.
    ///   - now: when the answer was complete.
    /// - Returns: `nil` if the playlist is not live.
    package mutating func loaded(
        _ playlist: HLSMediaPlaylist,
        hasChanged: Bool,
        began: Int64,
        now: Int64
    ) -> Request? {
        guard playlist.isLive else { return nil }
        targetDuration = playlist.targetDuration
        if last.isBlocking {
            emptyAnswers = hasChanged ? 0 : emptyAnswers + 1
            canBlock = canBlock && emptyAnswers < Self.emptyAnswerLimit
        }
        if playlist.control.canBlock, canBlock, hasChanged || !last.isBlocking {
            last = HLSDirectives(
                sequence: playlist.nextSequence,
                part: playlist.partTarget == nil ? nil : Int64(playlist.parts.count),
                skip: skip(playlist, began: began, time: now)
            )
            return Request(time: now, directives: last)
        }
        // Without blocking requests, the playlist is polled once per part target or target duration, and twice as often
        // while loads have nothing new.
        let interval = playlist.partTarget ?? targetDuration
        let time = max(now, began &+ nanoseconds(interval, half: !hasChanged))
        last = HLSDirectives(skip: skip(playlist, began: began, time: time))
        return Request(time: time, directives: last)
    }

    /// The next request after a load that failed with a temporary error.
    package mutating func failed(began: Int64, now: Int64) -> Request {
        last = HLSDirectives()
        return Request(time: max(now, began &+ nanoseconds(targetDuration, half: true)), directives: last)
    }

    /// The next request after a delta update that could not be completed. Requests no more delta updates.
    package mutating func skippedTooMuch(now: Int64) -> Request {
        canSkip = false
        last.skip = nil
        return Request(time: now, directives: last)
    }

    /// Requests a delta update only if less than half the skip boundary will have passed since the last load began
    /// (§6.3.7).
    private func skip(_ playlist: HLSMediaPlaylist, began: Int64, time: Int64) -> HLSDirectives.Skip? {
        guard canSkip, let boundary = playlist.control.skipBoundary, time &- began < nanoseconds(boundary, half: true)
        else { return nil }
        return playlist.control.canSkipDateRanges ? .entriesAndDateRanges : .entries
    }

    private func nanoseconds(_ time: MediaTime, half: Bool) -> Int64 {
        min(time.microseconds, 1_000_000_000_000) * (half ? 500 : 1000)
    }
}
