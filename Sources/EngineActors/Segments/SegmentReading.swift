// SPDX-License-Identifier: Apache-2.0

package import EngineModel
package import Packaging
package import Reading

/// Reads the packets of one segment after another, with a read position of its own: a `Demuxer`, or a test's substitute
/// for one.
package protocol SegmentReading: Sendable {
    /// As `Demuxer.read`.
    func read(
        segment index: Int,
        of plan: SegmentPlan,
        trackEnds: [MediaTime?],
        active: Set<Int>,
        subtitles: Set<Int>
    ) async throws(EngineError) -> SegmentMaterial

    /// Makes the running call and all later reads fail at once.
    func interrupt()

    /// Releases memory and files.
    func close() async
}

extension Demuxer: SegmentReading {}

/// The demuxers with which a producer reads its source at several positions. Each is opened when it is first used.
package struct SegmentDemuxers: Sendable {
    private(set) var opened: [any SegmentReading]
    private let open: @Sendable (_ number: Int) -> any SegmentReading

    /// - Parameters:
    ///   - first: the demuxer with number 0.
    ///   - open: opens the demuxer with a number above 0.
    init(_ first: any SegmentReading, open: @escaping @Sendable (_ number: Int) -> any SegmentReading) {
        opened = [first]
        self.open = open
    }

    /// Demuxers of `source`: `first`, and a new `Demuxer` for each further number.
    ///
    /// - Parameter first: the demuxer with number 0.
    package init(_ first: any SegmentReading, of source: OpenedSource) {
        self.init(first) { Demuxer(name: "demux-\($0 + 1)", source: source) }
    }

    /// The demuxer with a number. Numbers are first used in ascending order.
    subscript(number: Int) -> any SegmentReading {
        mutating get {
            while opened.count <= number { opened.append(open(opened.count)) }
            return opened[number]
        }
    }
}
