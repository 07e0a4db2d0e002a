// SPDX-License-Identifier: Apache-2.0

package import Bindings
internal import EngineModel
internal import Packaging

/// The layout of the media in a source's bytes, and the facts about the media that the source states outside its
/// container. Code that depends on them calls the layout, and never checks the kind of the source.
///
/// The default results are those of a single container. Any other kind of source conforms with results of its own.
///
/// Thread-safety: safe. Calls that take an interrupt flag block.
protocol SourceLayout: Sendable {
    /// The reader of its packets.
    var reading: SourceReading { get }
    /// Whether the index or the last times of a container may be at the end of the bytes.
    var canEndWithIndex: Bool { get }
    /// The ranges that examining the source reads, as far as they are known in advance, the most urgent ones first. On
    /// a server, they are fetched together.
    var examinedReads: [Range<Int64>] { get }
    /// Call this when the source has been opened. Ranges that were expected for opening it are then fetched only if
    /// another cursor expects them.
    func hasBeenOpened()
    /// Whether samples are decrypted before they are read, although their container declares that they are encrypted.
    var decryptsSamples: Bool { get }
    /// Notices for the user about the source.
    var notices: [Notice] { get }
    /// Yields the number of blocks of a disc that could not be read so far, whenever there is another one. Ends with
    /// the task that reads the stream; for any other source, at once.
    func lostBlocks() -> AsyncStream<Int>
    /// The segments that the source lists. `nil`: it lists none, so that boundaries come from an index or a scan.
    var segments: (any ListedSegments)? { get }
    /// The variants that players may switch to, in descending order of bandwidth.
    var siblings: [ListSibling] { get }
    /// The source on a server whose bytes this one presents in its own order: the image of a disc. `nil` if there is
    /// none.
    var image: (any ByteSource)? { get }

    /// The text subtitles beside the container. They are the last streams of the description.
    var texts: [TitleText] { get }

    /// The plan that the source provides independently of its container, or the reason for rejecting it. `nil`: it
    /// provides none.
    func plan(from facts: PlanFacts) throws(EngineError) -> Result<SourcePlan, ContainerIndex.Distrust>?

    /// Opens one of `siblings`.
    ///
    /// - Parameters:
    ///   - index: `SourceVariant.index`.
    ///   - origin: the start of this source's timeline, on its clock. The timeline of the variant begins at the same
    ///     picture.
    func sibling(_ index: Int, origin: MediaTime, _ interrupt: InterruptFlag) throws(EngineError) -> any ByteSource
}

extension SourceLayout {
    var reading: SourceReading { .container }
    var canEndWithIndex: Bool { true }
    var examinedReads: [Range<Int64>] { [] }
    func hasBeenOpened() {}
    var decryptsSamples: Bool { false }
    var notices: [Notice] { [] }
    func lostBlocks() -> AsyncStream<Int> { AsyncStream { $0.finish() } }
    var segments: (any ListedSegments)? { nil }
    var siblings: [ListSibling] { [] }
    var image: (any ByteSource)? { nil }
    var texts: [TitleText] { [] }

    func plan(from facts: PlanFacts) throws(EngineError) -> Result<SourcePlan, ContainerIndex.Distrust>? { nil }

    func sibling(_ index: Int, origin: MediaTime, _ interrupt: InterruptFlag) throws(EngineError) -> any ByteSource {
        throw EngineError(.internal, "there is no variant \(index)")
    }
}

/// The layout of a source whose bytes are one container.
struct SingleContainer: SourceLayout {}

extension ByteSource {
    /// The layout of its media. Callers that open or read the source keep the result.
    var layout: any SourceLayout { (self as? any SourceLayout) ?? SingleContainer() }

    /// As `SourceLayout.lostBlocks`.
    package func blockLosses() -> AsyncStream<Int> { layout.lostBlocks() }

    /// The video whose packets have a format (`Packet.format`), where a list continues in another codec. `nil` for 0, the
    /// format of the source's video, and for a format that is not known.
    package func video(ofFormat format: Int) -> StreamInfo? { layout.segments?.video(numbered: format)?.stream }
}

/// The reader of a source's packets. Only `SourceReader` and its parts use this.
enum SourceReading {
    /// libavformat's demuxer.
    case container
    /// The same, over parts that follow each other and have clocks of their own.
    case title(TitleSource)
    /// `ListReader`: a demuxer for each segment.
    case list(SegmentListSource)
}

/// The plan that a source provides.
struct SourcePlan {
    let plan: SegmentPlan
    /// Extends the plan of a title. `nil` if that is complete, or grows with the source.
    var units: UnitPlan?
}

/// The facts that a source needs to make its plan.
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
    /// The time at which each segment was recorded; `nil` if unknown. Empty if the source states no times.
    var dates: [WallTime?] { get }
    /// The target duration that the source promised when it was opened, if segments could follow.
    var targetDuration: MediaTime? { get }
    /// The distance from the end that players which play parts of segments must keep, according to the source. `nil` if
    /// it lists no parts.
    var partHoldBack: MediaTime? { get }
    /// Fetches the bytes of the segments.
    var resources: any ListResources { get }
    /// The group of segments at which reading enters: its configuration is that of the tracks.
    var firstGroup: Int { get }

    /// Codec private data of the video of a group of segments. `nil` until a segment of the group has been read.
    func configuration(ofGroup group: Int) -> [UInt8]?

    /// The video of a version of the leading list, if its codec is not that of the source's video. `nil` too until a
    /// segment of the version has been read.
    func video(ofVersion version: Int) -> ListedVideo?

    /// The video whose packets have this `Packet.format`. `nil` for 0, the format of the source's video.
    func video(numbered number: Int) -> ListedVideo?

    /// The format of an audio stream in a version of the leading list. `nil` if it is that of the track, or not known.
    func audio(of stream: Int, version: Int) -> ListedAudio?

    /// The format of the packets whose `Packet.format` is this number. `nil` for 0, the format of the track.
    func audio(numbered number: Int) -> ListedAudio?

    /// Where an audio stream with a list of its own ends on the timeline, according to that list. `nil` for any other stream.
    func listedEnd(ofAudio stream: Int) -> MediaTime?

    /// Whether the format of an audio stream in a version is known.
    func knowsAudio(of stream: Int, version: Int) -> Bool

    /// The segment that reveals the configuration of a group. `nil` if there is no such group.
    func sample(ofGroup group: Int) -> Int?

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

    /// Whether segments begin with keyframes. `nil` while a growing list has no segment that reveals it.
    func alignment(_ interrupt: InterruptFlag) throws(EngineError) -> Bool?

    /// Waits until a growing list has more segments, has stalled or resumed, or has ended. Call from one thread only.
    ///
    /// - Parameter untilPart: whether a new part of the segment that is not complete counts too.
    func grow(untilPart: Bool, _ interrupt: InterruptFlag) throws(EngineError)

    /// Call this when parts of the segment after the announced ones are announced to players: from then on, the segment
    /// keeps them, whatever the playlist has in its place later. Call from the thread that calls `grow`.
    func announceParts(ofSegment index: Int)

    /// The variant of a live presentation that is played since the engine switched. `nil` if it never did.
    var playedVariant: PlayedVariant? { get }

    /// Returns the notices about a growing list that have come up since the last call.
    func takeNotices() -> [Notice]
}

/// What is fetched first of a source on a server.
enum SourceStart {
    /// The bytes at the start that are fetched before it is known where the first segment ends: those of the first request,
    /// and of one other.
    static let firstBytes: [Range<Int64>] = [0..<256 << 10, 256 << 10..<556 << 10]
}
