// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging

/// Reports what a live playlist marks on its timeline, such as ad breaks: each mark once. Pure.
struct ListMarks: Sendable {
    /// The maximum number of notices for one load or segment; further marks are not reported.
    static let noticeLimit = 16
    /// Texts from a playlist are cut to this many characters.
    private static let textLimit = 200

    /// The date ranges of the last load, which are already reported.
    private var reported: Set<HLSDateRange> = []

    /// Takes a load of the playlist.
    ///
    /// - Parameters:
    ///   - added: the new entries, and where each begins on the timeline.
    ///   - place: converts a date to a position on the timeline; `nil` if that is not known.
    /// - Returns: the notices about new marks.
    mutating func take(
        _ playlist: HLSMediaPlaylist,
        added: [(segment: HLSSegment, start: MediaTime)],
        place: (WallTime) -> MediaTime?
    ) -> [Notice] {
        let marks = added.flatMap { entry in entry.segment.marks.compactMap { Self.notice(of: $0, at: entry.start) } }
        let ranges = playlist.dateRanges.filter { !reported.contains($0) }.map { Self.notice(of: $0, place: place) }
        reported = Set(playlist.dateRanges)
        return Array((marks + ranges).prefix(Self.noticeLimit))
    }

    /// `nil` for a mark that is not reported: one that names an asset, continues a break, or has no message about
    /// breaks.
    private static func notice(of mark: HLSAdMark, at start: MediaTime) -> Notice? {
        let place = "at \(start.seconds) s (\(mark.tag))"
        let message = mark.message.flatMap { splice($0) }.map { "; SCTE 35: \($0)" } ?? ""
        switch mark.kind {
        case .breakStart(let duration):
            return .adBreakBegins(for: duration, place + message)
        case .breakEnd: return .adBreakEnds(place + message)
        case .scte35:
            guard !message.isEmpty else { return nil }
            return Notice(.info, "live.ad_break", "the source carries a message \(place)\(message)")
        case .breakContinues, .asset: return nil
        }
    }

    /// The notice about a message in the media of a segment.
    ///
    /// - Parameter start: where the segment begins on the timeline.
    static func notice(of splice: StreamReception.Splice, in start: MediaTime) -> Notice {
        let time = start + (splice.delay ?? .zero)
        return .adBreak(splice, "at \((time.seconds * 10).rounded() / 10) s")
    }

    private static func notice(of range: HLSDateRange, place: (WallTime) -> MediaTime?) -> Notice {
        var text = "the date range \"\(range.id.prefix(textLimit))\""
        if let name = range.className { text += " of the class \(name.prefix(textLimit))" }
        if let start = range.start.flatMap({ place($0) }) { text += " begins at \(start.seconds) s" }
        if let length = range.duration ?? range.plannedDuration { text += " for \(length.seconds) s" }
        let messages = [("command", range.scte35Command), ("out", range.scte35Out), ("in", range.scte35In)]
        for (name, bytes) in messages {
            if let bytes { text += "; SCTE 35 \(name)\(splice(bytes).map { ": \($0)" } ?? "")" }
        }
        switch range.interstitial?.asset {
        case .playlist(let url): text += "; it is an interstitial: \(SegmentListSource.shown(url).prefix(textLimit))"
        case .list(let url):
            text += "; it is a list of interstitials: \(SegmentListSource.shown(url).prefix(textLimit))"
        case nil: break
        }
        return Notice(.info, "live.date_range", text)
    }

    /// A text about the breaks in an SCTE 35 message. `nil` if it cannot be parsed, or is not about breaks.
    private static func splice(_ bytes: [UInt8]) -> String? {
        let info: SpliceInfo
        do throws(PackagingError) { info = try SpliceInfo(bytes) } catch { return nil }
        switch info.command {
        case .insert(let insert):
            if insert.isCancelled { return "event \(insert.event) is cancelled" }
            let length = insert.duration.map { " for \(MediaTime($0, in: TimeBase(1, 90_000)).seconds) s" } ?? ""
            return "event \(insert.event) \(insert.isOut ? "leaves" : "returns to") the programme\(length)"
        default:
            let events = info.segmentations.map { "event \($0.event) of type \($0.type)" }
            return events.isEmpty ? nil : events.joined(separator: ", ")
        }
    }
}
