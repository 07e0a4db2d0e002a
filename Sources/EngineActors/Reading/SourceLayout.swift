// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// How the media of a source lies in its bytes, and what the source says about its media besides its container. Code that
/// depends on this asks the layout, and never which kind of source it has.
///
/// The default answers are those of a single container. A kind of source that differs conforms, and gives its own answers.
///
/// Thread-safety: safe. Calls that take an interrupt flag block.
protocol SourceLayout: Sendable {
    /// Which reader reads its packets.
    var reading: SourceReading { get }
    /// Whether the index or the last times of a container may be at the end of the bytes.
    var canEndWithIndex: Bool { get }
    /// Whether samples are decrypted before they are read, although their container declares that they are encrypted.
    var decryptsSamples: Bool { get }
    /// Notices for the user about the source.
    var notices: [Notice] { get }
    /// The segments that the source lists. `nil`: it lists none, so that boundaries come from an index or a scan.
    var segments: (any ListedSegments)? { get }
    /// The variants that players may switch to, in the order in which they are listed.
    var siblings: [ListSibling] { get }
    /// The source on a server whose bytes it presents in an order of its own: the image of a disc. `nil` if there is none.
    var image: (any ByteSource)? { get }

    /// The plan that the source provides besides its container, or the reason for rejecting it. `nil`: it provides none.
    func plan(from facts: PlanFacts) throws(EngineError) -> Result<SegmentPlan, ContainerIndex.Distrust>?

    /// Opens one of `siblings`.
    ///
    /// - Parameters:
    ///   - index: `SourceVariant.index`.
    ///   - origin: where the timeline of this source begins, on its clock. The timeline of the variant begins at the same
    ///     picture.
    func sibling(_ index: Int, origin: MediaTime, _ interrupt: InterruptFlag) throws(EngineError) -> any ByteSource
}

extension SourceLayout {
    var reading: SourceReading { .container }
    var canEndWithIndex: Bool { true }
    var decryptsSamples: Bool { false }
    var notices: [Notice] { [] }
    var segments: (any ListedSegments)? { nil }
    var siblings: [ListSibling] { [] }
    var image: (any ByteSource)? { nil }

    func plan(from facts: PlanFacts) throws(EngineError) -> Result<SegmentPlan, ContainerIndex.Distrust>? { nil }

    func sibling(_ index: Int, origin: MediaTime, _ interrupt: InterruptFlag) throws(EngineError) -> any ByteSource {
        throw EngineError(.internal, "there is no variant \(index)")
    }
}

/// The layout of a source whose bytes are one container.
struct SingleContainer: SourceLayout {}

extension ByteSource {
    /// The layout of its media. What opens or reads the source keeps it.
    var layout: any SourceLayout { (self as? any SourceLayout) ?? SingleContainer() }
}

/// Which reader reads the packets of a source. Only `SourceReader` asks for it.
enum SourceReading {
    /// libavformat's demuxer.
    case container
    /// The same, over parts that follow each other and have clocks of their own.
    case title(TitleSource)
    /// `ListReader`: a demuxer for each segment.
    case list(SegmentListSource)
}

/// What a source needs to know to make its plan.
struct PlanFacts {
    /// The leading track.
    let lead: PlayedTrack
    let limits: SegmentPlanner.Limits
    /// The first packet of the leading track.
    let firstPacket: Packet?
    /// Bits per second of the first media, as measured. 0 if unknown.
    let bitRate: UInt64
    /// For reads that bypass the demuxer.
    let bytes: any ByteCursor
}

/// Segments that a source lists, each a container of its own. More may follow while the source grows.
///
/// Thread-safety: safe. Calls that take an interrupt flag block.
protocol ListedSegments: Sendable {
    /// When each was recorded. Empty if the source says so of none.
    var dates: [WallTime?] { get }
    /// The target duration that the source promised when it was opened, if segments could follow.
    var targetDuration: MediaTime? { get }
    /// Fetches what they consist of.
    var resources: any ListResources { get }
    /// The group of segments at which reading enters: its configuration is that of the tracks.
    var firstGroup: Int { get }

    /// Codec private data of the video of a group of segments. `nil` until a segment of it was read.
    func configuration(ofGroup group: Int) -> [UInt8]?

    /// The segment that reveals the configuration of a group. `nil` if there is no such group.
    func sample(ofGroup group: Int) -> Int?

    /// Lets the indices of segments that slide continue behind those of an earlier process. Call it before anything is
    /// read.
    ///
    /// - Parameter count: how many segments that process noted as announced; 0 if there was none.
    func resume(after count: Int)

    /// Makes the next read fetch the list again first, because its URLs may have been signed again.
    func refresh()

    /// The plan: one segment for each that is listed.
    ///
    /// - Parameters:
    ///   - lead: the leading track.
    ///   - measured: the bit rate of the first segment, in bits per second, for a list that states none or a lower one.
    ///   - holdsBack: whether to leave out the last segment of a growing list, because its content may depend on the
    ///     next segment.
    func plan(for lead: PlayedTrack, measured: UInt64, holdsBack: Bool) -> SegmentPlan

    /// Whether segments begin with keyframes. `nil` while a growing list has no segment that shows it.
    func alignment(_ interrupt: InterruptFlag) throws(EngineError) -> Bool?

    /// Waits until a growing list has more segments, has stalled, or has ended. Call from one thread only.
    func grow(_ interrupt: InterruptFlag) throws(EngineError)

    /// Returns the notices about a growing list that have come up since the last call.
    func takeNews() -> [Notice]
}
