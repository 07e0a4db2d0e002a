// SPDX-License-Identifier: Apache-2.0

/// Subtitle packets of one track that are shown for a long time. A reader of part of the source must also read these,
/// to know what is on the screen in that part.
///
/// Derived from the source alone, in ticks of the stream. A packet that turns out not to be shown does no harm.
package struct LongSpans: Hashable, Sendable {
    package struct Span: Hashable, Sendable {
        package var start: Int64
        /// The latest possible end.
        package var end: Int64
        /// The packet's file position.
        package var position: Int64
    }

    /// The most spans recorded; no real source has more. Later ones are ignored.
    private static let limit = 4096
    /// The most spans returned for one time. If there are more, those that started last are returned.
    private static let simultaneousLimit = 64

    private let leastLength: Int64
    private let isReplaced: Bool
    /// In source order.
    private var spans: [Span] = []
    /// The latest packet, if only the next one determines how long it is shown.
    private var open: Span?

    /// - Parameters:
    ///   - leastLength: spans that are not longer than this are not recorded.
    ///   - isReplaced: whether a packet without a duration is shown until the next one. Otherwise it is never long.
    package init(longerThan leastLength: Int64, isReplaced: Bool) {
        self.leastLength = leastLength
        self.isReplaced = isReplaced
    }

    /// Records a packet. Call it in source order.
    ///
    /// - Parameter duration: `nil` or 0 if unknown.
    package mutating func add(at time: Int64, lasting duration: Int64?, position: Int64) {
        if let duration, duration > 0 {
            if isReplaced { close(at: time) }
            note(Span(start: time, end: Self.sum(time, duration), position: position))
            return
        }
        guard isReplaced, open.map({ time > $0.start }) ?? true else { return }
        close(at: time)
        open = Span(start: time, end: .max, position: position)
    }

    /// The spans that started before `time` and have not ended by then, in source order.
    ///
    /// - Parameter isWanted: filters the spans.
    package func on(at time: Int64, where isWanted: (Span) -> Bool = { _ in true }) -> [Span] {
        let last = open.map { [$0] } ?? []
        return (spans + last).filter { $0.start < time && $0.end > time && isWanted($0) }
            .suffix(Self.simultaneousLimit)
    }

    private mutating func close(at time: Int64) {
        guard var span = open, time > span.start else { return }
        span.end = time
        open = nil
        note(span)
    }

    private mutating func note(_ span: Span) {
        guard span.end > Self.sum(span.start, leastLength), spans.count < Self.limit else { return }
        spans.append(span)
    }

    private static func sum(_ time: Int64, _ duration: Int64) -> Int64 {
        let (sum, overflows) = time.addingReportingOverflow(duration)
        return overflows ? .max : sum
    }
}
