// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// What a request for a media playlist asks of the server beyond the playlist (draft-pantos-hls-rfc8216bis §6.2.5).
package struct HLSDirectives: Hashable, Sendable {
    package enum Skip: String, Hashable, Sendable {
        case entries = "YES"
        /// Date ranges as well.
        case entriesAndDateRanges = "v2"
    }

    /// Answer when the playlist has this entry, or this part of it.
    package var sequence: Int64?
    package var part: Int64?
    /// Leave out what was known before.
    package var skip: Skip?

    package init(sequence: Int64? = nil, part: Int64? = nil, skip: Skip? = nil) {
        self.sequence = sequence
        self.part = part
        self.skip = skip
    }

    /// For the first request of another rendition, which is as far as the report says: the answer has something newer.
    package init(after report: HLSRenditionReport) {
        sequence = report.lastSequence
        part = report.lastPart.map { $0 + 1 }
        if part == nil { sequence = sequence.map { $0 + 1 } }
    }

    package var isBlocking: Bool { sequence != nil }

    /// The URL with the directives in its query, in the order of their names, in place of earlier ones.
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

/// When a media playlist is loaded again, and how (RFC 8216 §6.3.4). Pure; times are in nanoseconds of CLOCK_MONOTONIC.
package struct HLSReloadSchedule: Hashable, Sendable {
    package struct Request: Hashable, Sendable {
        package var time: Int64
        package var directives: HLSDirectives
    }

    /// So many blocking requests may be answered without anything new until none are made any more.
    package static let emptyAnswerLimit = 3

    private var canBlock = true
    private var canSkip = true
    private var emptyAnswers = 0
    private var last = HLSDirectives()
    private var targetDuration = MediaTime.seconds(1)

    package init() {}

    /// The request after a load that was answered.
    ///
    /// - Parameters:
    ///   - hasChanged: whether the answer had an entry or a part that was not known.
    ///   - began: when the load began.
    ///   - now: when the answer was complete.
    /// - Returns: `nil` if the playlist is complete.
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
        // Without blocking requests, parts come as often as they are short.
        let interval = playlist.partTarget ?? targetDuration
        let time = max(now, began &+ nanoseconds(interval, half: !hasChanged))
        last = HLSDirectives(skip: skip(playlist, began: began, time: time))
        return Request(time: time, directives: last)
    }

    /// The request after a load that failed for a reason that may pass.
    package mutating func failed(began: Int64, now: Int64) -> Request {
        last = HLSDirectives()
        return Request(time: max(now, began &+ nanoseconds(targetDuration, half: true)), directives: last)
    }

    /// The request after a delta update that could not be completed. No more are requested.
    package mutating func skippedTooMuch(now: Int64) -> Request {
        canSkip = false
        last.skip = nil
        return Request(time: now, directives: last)
    }

    /// A delta update may be requested while what is known is younger than half the skip boundary (§6.3.7).
    private func skip(_ playlist: HLSMediaPlaylist, began: Int64, time: Int64) -> HLSDirectives.Skip? {
        guard canSkip, let boundary = playlist.control.skipBoundary, time &- began < nanoseconds(boundary, half: true)
        else { return nil }
        return playlist.control.canSkipDateRanges ? .entriesAndDateRanges : .entries
    }

    private func nanoseconds(_ time: MediaTime, half: Bool) -> Int64 {
        min(time.microseconds, 1_000_000_000_000) * (half ? 500 : 1000)
    }
}
