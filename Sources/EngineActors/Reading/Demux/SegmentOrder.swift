// SPDX-License-Identifier: Apache-2.0

internal import Bindings
import EngineModel
import Packaging

/// The parameters of one read: the segment, and what is collected for it.
struct SegmentOrder {
    let source: OpenedSource
    let plan: SegmentPlan
    let cut: SegmentCut
    /// Positions in `OpenedSource.tracks`. Always includes the leading track.
    let active: Set<Int>
    /// Subtitle streams whose packets are harvested.
    var subtitles: Set<Int> = []
    /// Whether the closed captions in the pictures are wanted.
    private(set) var wantsCaptions = false
    /// Finds the captions. `nil` when none are wanted, or the codec cannot carry captions.
    private var extractor: CaptionExtractor?
    /// Whether reading stops after the first picture.
    var stopsAtPicture = false

    /// - Parameters:
    ///   - index: an announced segment of `plan`.
    ///   - trackEnds: where each track ends, if known.
    init(
        segment index: Int,
        of plan: SegmentPlan,
        trackEnds: [MediaTime?],
        active: Set<Int>,
        in opened: OpenedSource?
    ) throws(EngineError) {
        guard let opened, let cut = SegmentCut(index: index, of: plan, trackEnds: trackEnds) else {
            throw EngineError(.internal, "segment \(index) was requested before it was planned")
        }
        self.init(opened, plan, cut, active)
    }

    /// - Parameter plan: a plan with known parts of the segment after the announced ones.
    init(partsOf plan: SegmentPlan, active: Set<Int>, in opened: OpenedSource?) throws(EngineError) {
        guard let opened, let cut = SegmentCut(partsOf: plan) else {
            throw EngineError(
                .internal,
                "parts of segment \(plan.segmentCount) were requested before they were planned"
            )
        }
        self.init(opened, plan, cut, active)
    }

    private init(_ source: OpenedSource, _ plan: SegmentPlan, _ cut: SegmentCut, _ active: Set<Int>) {
        self.source = source
        self.plan = plan
        self.cut = cut
        self.active = active.union([0])
    }

    /// From now on, the captions are wanted.
    ///
    /// - Parameter stream: the leading stream.
    mutating func wantCaptions(in stream: StreamInfo) {
        wantsCaptions = true
        findCaptions(in: stream)
    }

    /// If captions are wanted, expects them in packets of this stream. Call this if the video of the segment may have
    /// another codec than that of the source.
    mutating func findCaptions(in stream: StreamInfo) {
        guard wantsCaptions else { return }
        extractor = CaptionExtractor(codec: stream.codec, extradata: stream.extradata)
    }

    /// The captions of a segment; empty if its codec cannot carry captions. `nil` when none are wanted.
    func captions(in material: SegmentMaterial) -> [Packet]? {
        wantsCaptions ? extractor.map(material.captions(found:)) ?? [] : nil
    }

    var streams: Set<Int> { subtitles.union(active.flatMap { source.tracks[$0].streamIndexes }) }
    /// Maps subtitle packets to segments; `nil` when no subtitles are wanted.
    var units: SubtitleUnits? { subtitles.isEmpty ? nil : SubtitleUnits(source, plan) }
}
