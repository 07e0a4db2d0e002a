// SPDX-License-Identifier: Apache-2.0

/// Packets of one track that are on for long: whoever reads a stretch of the source must read these, too, to know what is on
/// in it.
///
/// Values of the source alone, in ticks of the stream. What is not on after all when it has been read does no harm.
package struct LongSpans: Hashable, Sendable {
    package struct Span: Hashable, Sendable {
        package var start: Int64
        /// Where it is over at the latest.
        package var end: Int64
        /// Where the packet is in the file.
        package var position: Int64
    }

    /// Those behind are not known: no film has as many.
    private static let limit = 4096
    /// What is on at one time; of more, those that started last.
    private static let simultaneousLimit = 64

    private let leastLength: Int64
    private let isReplaced: Bool
    /// In the order of the source.
    private var spans: [Span] = []
    /// The latest of which only what follows says how long it is on.
    private var open: Span?

    /// - Parameters:
    ///   - leastLength: what is not on for longer is not noted.
    ///   - isReplaced: whether what does not say how long it is on is on until the next. Else it is never long.
    package init(longerThan leastLength: Int64, isReplaced: Bool) {
        self.leastLength = leastLength
        self.isReplaced = isReplaced
    }

    /// Notes a packet. In the order of the source.
    ///
    /// - Parameter duration: `nil` or 0 where nothing says.
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

    /// Those that started before `time` and are on at it, in the order of the source.
    ///
    /// - Parameter isWanted: whether one counts.
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
