// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
package import Packaging

/// One open demuxer for a file. Reports the engine's errors instead of libavformat's.
///
/// Not thread-safe: owned by one actor with its own thread.
package final class SourceReader {
    /// After this many consecutive broken packets, the rest of a file is given up.
    private static let brokenPacketLimit = 1000

    package let file: RegularFile
    let interrupt: InterruptFlag
    let purpose: FormatContext.Purpose
    package var context: FormatContext
    /// The `moov` box of an MP4 file, until the source is open: libavformat does not expose some of its tables.
    package var movie: [UInt8]?
    package let edits: FormatContext.Edits
    private let keepsTeletextTimes: Bool
    /// The video stream whose pictures must be put in output order, if the container has no presentation times.
    private var orderedStream: Int?
    private var parser: PictureOrderParser?
    /// Joins fields that are separate pictures.
    private var fields: FieldJoin?
    private var laces = LaceClock(streams: [])
    private var hasStreamInfo = false
    private var stretches: StretchClock?
    private var passed = PassedPage.none
    private var bases: [Int: TimeBase] = [:]

    /// - Parameters:
    ///   - edits: what an earlier reader of the same file has found out; `nil` to find it out now.
    ///   - keepsTeletextTimes: as in `FormatContext.open`.
    package init(
        file: RegularFile,
        for purpose: FormatContext.Purpose,
        edits: FormatContext.Edits? = nil,
        keepsTeletextTimes: Bool = false,
        interrupt: InterruptFlag
    ) throws(EngineError) {
        self.keepsTeletextTimes = keepsTeletextTimes
        self.file = file
        self.interrupt = interrupt
        self.purpose = purpose
        if let edits {
            self.edits = edits
        } else {
            do throws(Errno) {
                movie = try MovieBox.read(from: file)
            } catch {
                throw EngineError(.sourceReadFailed, "reading \(file.path) failed", cause: "\(error)")
            }
            self.edits = movie.map { EditLists.areSimple(inMovie: $0) ? .simple : .any } ?? .any
        }
        context = try Self.openContext(file, purpose, self.edits, keepsTeletextTimes, interrupt)
        try findStreamsInPackets()
        fields = fieldJoin()
    }

    /// Goes back to the very start, in the state of a newly opened source.
    package func reopen() throws(EngineError) {
        hasStreamInfo = false
        context = try Self.openContext(file, purpose, edits, keepsTeletextTimes, interrupt)
        try findStreamsInPackets()
        fields = fieldJoin()
    }

    private func fieldJoin() -> FieldJoin? {
        guard context.container.isBareH264 else { return nil }
        return context.pictureOrderParser(of: 0).map { FieldJoin($0) }
    }

    /// Configures the demuxer for reading the packets of these streams for playback.
    package func prepareForPackets(of streams: Set<Int>) {
        if context.container.hasFramedPackets { context.takePacketsAsTheyAre() }
        let needsOrder = context.container.isAVI || context.container.isElementary
        orderedStream =
            needsOrder ? context.streamInfos().first { streams.contains($0.index) && $0.kind == .video }?.index : nil
        context.keep(only: streams)
        hasJumped()
    }

    /// Skips the next Ogg page. A page states when its last packet ends; when its first packet begins is known only to
    /// a reader of the page before it (RFC 3533 §6).
    func passPage() { passed = .next }

    /// Must be called after every seek: parser state from before the seek does not apply to what follows.
    ///
    /// - Parameter position: the byte at which reading continues, if the seek was to a byte.
    package func hasJumped(to position: Int64 = 0) {
        stretches?.enter(at: position)
        passed = .none
        parser = orderedStream.flatMap { context.pictureOrderParser(of: $0) }
        fields = fieldJoin()
        startClock()
    }

    /// From here on, puts packets on the clock of a plan.
    package func follow(_ plan: SegmentPlan) {
        if stretches == nil {
            stretches = StretchClock(plan)
            bases = Dictionary(uniqueKeysWithValues: context.streamInfos().map { ($0.index, $0.timeBase) })
        } else {
            stretches?.follow(plan)
        }
    }

    /// The packet on the clock of the followed plan; `nil` when it belongs to neither side of a join.
    func placed(_ packet: Packet) -> Packet? {
        guard stretches != nil, let base = bases[packet.streamIndex] else { return packet }
        return stretches?.placed(packet, streamBase: base)
    }

    /// Restarts the timing of packets that have no time of their own.
    package func startClock() {
        laces = LaceClock(streams: context.container.isMatroska ? context.streamInfos() : [])
    }

    private func nextPacket() throws(FFmpegError) -> Packet? {
        guard var join = fields else { return try nextPiece() }
        defer { fields = join }
        return try join.next { () throws(FFmpegError) in try nextPiece() }
    }

    private func nextPiece() throws(FFmpegError) -> Packet? {
        guard let orderedStream, let parser else { return try context.readPacket().map { laces.timed($0) } }
        return try context.readPacket(ordering: orderedStream, by: parser)
    }

    private static func openContext(
        _ file: RegularFile,
        _ purpose: FormatContext.Purpose,
        _ edits: FormatContext.Edits,
        _ keepsTeletextTimes: Bool,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> FormatContext {
        do throws(FFmpegError) {
            return try FormatContext.open(
                file,
                for: purpose,
                edits: edits,
                keepsTeletextTimes: keepsTeletextTimes,
                interrupt: interrupt
            )
        } catch {
            throw EngineError(error, file: nil, .sourceNotMedia, "\(file.path) is not a supported media file")
        }
    }

    /// If the container's header does not describe its streams, reads packets until they are known.
    private func findStreamsInPackets() throws(EngineError) {
        if !context.container.describesItself { try findStreamInfo() }
    }

    /// Reads into the source until everything about its streams is known. At most once per context: with some
    /// containers, libavformat does not survive a second time.
    package func findStreamInfo() throws(EngineError) {
        guard !hasStreamInfo else { return }
        hasStreamInfo = true
        let message = "the streams of \(file.path) could not be identified"
        try attempt(.sourceNotMedia, message) { context throws(FFmpegError) in try context.findStreamInfo() }
    }

    /// Runs one libavformat operation and turns its failure into an `EngineError`.
    package func attempt<Value>(
        _ code: EngineError.Code,
        _ message: @autoclosure () -> String,
        _ body: (inout FormatContext) throws(FFmpegError) -> Value
    ) throws(EngineError) -> Value {
        do throws(FFmpegError) {
            return try body(&context)
        } catch {
            throw EngineError(error, file: context.takeFileFailure(), code, message())
        }
    }

    /// The next packet of a kept stream, or `nil` at the end. Broken packets are skipped; after `brokenPacketLimit` of
    /// them in a row the file counts as ended.
    package func readPacket() throws(EngineError) -> Packet? {
        var broken = 0
        while broken < Self.brokenPacketLimit {
            do throws(FFmpegError) {
                guard let packet = try nextPacket() else { return nil }
                if passed.takes(packet) { continue }
                if let placed = placed(packet) { return placed }
            } catch {
                broken += 1
                let failure = context.takeFileFailure()
                if error.isInterruption || failure != nil {
                    throw EngineError(error, file: failure, .sourceReadFailed, "reading \(file.path) failed")
                }
            }
        }
        return nil
    }
}
