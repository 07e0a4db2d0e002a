// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging

/// Chooses from which variant of a presentation each segment is read, by the bandwidth at which segments arrive.
/// Indices, places on the timeline and the other lists are those of the variant that was opened.
///
/// A segment keeps its variant until `restart`, so that all readers get the same packets of it. Not thread-safe: owned by the
/// code that owns the readers. Calls block.
package final class VariantCourse {
    /// What clients should know.
    package enum Report: Hashable, Sendable {
        /// The variant that was opened is read.
        case begins
        /// Another variant is read from now on.
        case changes(PlayedVariant, Notice)
        /// A variant cannot be read.
        case fails(Notice)
    }

    /// A segment of another variant than the one that was opened.
    struct Segment {
        /// `SourceVariant.index`.
        let variant: Int
        let list: SegmentListSource
        let open: OpenSegment
        /// When it is presented, on its own clock. `nil` if it states no times.
        let anchor: MediaTime?
        /// Codec private data of its video.
        let configuration: [UInt8]
    }

    private let source: SegmentListSource
    private let report: (Report) -> Void
    /// `SourceVariant.index` of the variant that was opened.
    private let opened: Int
    private var ladder: LiveLadder
    /// The variants of the segments that have been read since `restart`.
    private var chosen: [Int: Int] = [:]
    /// The other variants that have been opened.
    private var others: [Int: SegmentListSource] = [:]
    /// `LoadedList.refreshCount` when `others` were opened.
    private var refreshes: Int
    /// By variant: when the latest attempt to read one of its segments failed.
    private var missed: [Int: Int64] = [:]

    /// For how long a variant is not read after such a failure, in nanoseconds. The next attempt could take long, too.
    private static let pause: Int64 = 30_000_000_000

    /// - Parameter report: called with what clients should know, for the first time before this returns.
    /// - Returns: `nil` if the source has no variants to choose from, or if its segments are not known to begin with
    ///   keyframes.
    init?(
        of source: SegmentListSource,
        _ interrupt: InterruptFlag,
        report: @escaping (Report) -> Void
    ) throws(EngineError) {
        guard let ladder = source.facts.variants.readable, try source.alignment(interrupt) == true else { return nil }
        self.source = source
        self.ladder = ladder
        self.report = report
        opened = ladder.current
        refreshes = source.loaded.refreshCount
        report(.begins)
    }

    /// Forgets the choices for all segments: the source is entered again.
    package func restart() { chosen = [:] }

    /// A segment of the variant that is chosen for a place in the leading list.
    ///
    /// - Parameters:
    ///   - index: the segment's number in the leading list.
    ///   - streams: the streams of the leading list.
    /// - Returns: `nil` if the segment is to be read from the variant that was opened.
    func segment(
        _ index: Int,
        matching streams: ListStreams,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> Segment? {
        let now = monotonicNanoseconds()
        let known = chosen[index]
        let estimate = source.fetcher.throughput.means?.estimate
        let mayChange = known == nil && !isFetched(index)
        let change = mayChange ? ladder.wanted(estimate: estimate, isLate: false, now: now) : nil
        if let change {
            do throws(EngineError) {
                return try segment(index, of: change.index, change, matching: streams, interrupt)
            } catch {
                if error.code == .cancelled { throw error }
                if isBehind(change.index, at: index) {
                    ladder.passed()
                } else if let notice = ladder.failed(change, because: "\(error)", now: now) {
                    report(.fails(notice))
                }
            }
        }
        let variant = known ?? (isPaused(ladder.current, now) ? opened : ladder.current)
        do throws(EngineError) {
            return try segment(index, of: variant, nil, matching: streams, interrupt)
        } catch {
            if error.code == .cancelled || variant == opened { throw error }
            chosen[index] = opened
            if !isBehind(variant, at: index) { miss(variant, at: index, because: error) }
            return nil
        }
    }

    /// Makes a segment be read from the variant that was opened, because its video in another variant does not have the
    /// codec of its group.
    ///
    /// - Parameter segment: the segment of the other variant.
    func refuse(_ index: Int, of segment: Segment) {
        chosen[index] = opened
        let text = "its video does not have the codec of the video that is played"
        miss(segment.variant, at: index, because: EngineError(.segmentFailed, text))
    }

    private func isPaused(_ variant: Int, _ now: Int64) -> Bool {
        missed[variant].map { now - $0 < Self.pause } ?? false
    }

    /// Whether the playlist of a variant may list a segment later.
    private func isBehind(_ variant: Int, at index: Int) -> Bool {
        guard let other = others[variant], other.growth != nil else { return false }
        return other.lead.segments.count <= index
    }

    /// Whether the variant that was opened is being read, and this segment of it has been fetched already, as its first
    /// one has been when the source was opened.
    private func isFetched(_ index: Int) -> Bool {
        let segments = source.lead.segments
        guard ladder.current == opened, segments.indices.contains(index) else { return false }
        return source.fetcher.cached(segments[index].resource) != nil
    }

    /// - Parameter change: the switch to the variant, if it is another one than that of the segment before.
    private func segment(
        _ index: Int,
        of variant: Int,
        _ change: LiveLadder.Switch?,
        matching streams: ListStreams,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> Segment? {
        let found = variant == opened ? nil : try open(index, of: variant, matching: streams, interrupt)
        chosen[index] = variant
        if let change {
            let place = source.lead.segments[index].start
            let notice = ladder.joined(change, at: place, now: monotonicNanoseconds())
            if let played = ladder.played { report(.changes(played, notice)) }
        }
        return found
    }

    private func miss(_ variant: Int, at index: Int, because error: EngineError) {
        guard missed.updateValue(monotonicNanoseconds(), forKey: variant) == nil else { return }
        let text =
            "segment \(index) of variant \(variant) cannot be read, and is read from variant \(opened) instead: \(error)"
        report(.fails(Notice(.warning, "source.variant_unusable", text)))
    }

    // MARK: Segments of other variants

    private func open(
        _ index: Int,
        of variant: Int,
        matching streams: ListStreams,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> Segment {
        let other = try list(of: variant, upTo: index, interrupt)
        let segment = try OpenSegment.identified(index, of: other, interrupt)
        var match = streams
        do throws(ListStreams.OtherVideo) {
            try match.match(segment.context.streamInfos())
        } catch {
            throw EngineError(
                .segmentFailed,
                "it has \(error.found.rawValue) video, which cannot follow \(error.expected.rawValue)"
            )
        }
        // The segment is opened a second time to find its beginning, because that consumes packets.
        let beginning = try OpenSegment.identified(index, of: other, interrupt).beginning(of: other.path)
        guard beginning.isKey else {
            throw EngineError(.segmentFailed, "segment \(index) of \(other.path) does not begin with a keyframe")
        }
        let video = segment.context.streamInfos().first { $0.kind == .video }
        return Segment(
            variant: variant,
            list: other,
            open: segment,
            anchor: segment.statesTimes ? beginning.time : nil,
            configuration: video?.extradata ?? []
        )
    }

    /// - Parameter index: the segment that is wanted.
    private func list(
        of variant: Int,
        upTo index: Int,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> SegmentListSource {
        let count = source.loaded.refreshCount
        if count != refreshes { (others, refreshes) = ([:], count) }
        let known = others[variant]
        let other = if let known { known } else { try openList(of: variant, interrupt) }
        others[variant] = other
        if index >= other.lead.segments.count, other.growth != nil {
            other.refresh()
            try other.loaded.reloadIfStale(interrupt)
        }
        guard other.lead.replaces(index, of: source.lead) else {
            throw EngineError(
                .segmentFailed,
                "\(other.path) lists no segment at the place of segment \(index) of \(source.path)"
            )
        }
        return other
    }

    /// Opens another variant, which is measured together with the first one.
    private func openList(of variant: Int, _ interrupt: InterruptFlag) throws(EngineError) -> SegmentListSource {
        let opening = ListVariants.Opening(
            index: variant,
            isStale: source.loaded.wasRefreshed,
            originOffset: nil,
            measured: source.fetcher.measured,
            isReplaceable: true
        )
        return try source.facts.variants.open(opening, interrupt)
    }
}

extension SegmentList {
    /// The largest difference between the starts, and between the ends, of segments that replace each other.
    private static let tolerance = MediaTime.seconds(0.1)

    /// Whether a segment of this list can be read instead of the one with the same number in `lead`, a list of another
    /// variant: it is complete and has media, and both begin and end at the same times, in groups of the same number.
    func replaces(_ index: Int, of lead: SegmentList) -> Bool {
        guard segments.indices.contains(index), lead.segments.indices.contains(index) else { return false }
        let (own, other) = (segments[index], lead.segments[index])
        func isNear(_ one: MediaTime, _ other: MediaTime) -> Bool {
            (one - other).microseconds.magnitude <= Self.tolerance.microseconds.magnitude
        }
        return !own.isGap && !own.isOpen && own.group == other.group && isNear(own.start, other.start)
            && isNear(own.end, other.end)
    }
}

extension ListClock {
    /// The clock of a segment of another variant that replaces a segment of the group with this clock. Variants have
    /// matching timestamps (RFC 8216 §6.2.4), so the offset stays the same if the times are near to what the playlist
    /// implies. Otherwise the segment is placed where the playlist implies.
    ///
    /// - Parameters:
    ///   - anchor: when the segment is presented, on its own clock.
    ///   - start: the start of the segment, relative to the start of the list.
    ///   - number: the number of the segment in its group.
    func replaced(by anchor: MediaTime, at start: MediaTime, number: Int) -> ListClock {
        let planned = ListClock(
            anchor: anchor,
            offset: self.anchor + offset + start - self.start - anchor,
            start: start
        )
        return planned.continuing(self, number: number) ?? planned
    }
}
