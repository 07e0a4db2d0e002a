// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// A stored transport stream, which ends where its video continues in another codec (`CodecChangeSearch`): its demuxers,
/// decoders and init segments are made for the first one.
///
/// The change is found by the readers that begin at the start, such as the scan, before they receive a byte behind it.
/// Segments are announced only as far as the scan has come.
///
/// Thread-safety: safe. Reads block.
final class TransportFile: ByteSource, SourceLayout {
    /// The number of bytes that show whether a source is a transport stream.
    private static let headByteCount = 2048

    private let source: any ByteSource
    private let search = Locked(CodecChangeSearch())

    /// - Returns: `nil` if the source is not a transport stream, or a live stream, which ends there by itself.
    init?(_ source: any ByteSource, _ interrupt: InterruptFlag) throws(EngineError) {
        let head = try source.cursor(interrupt).read(at: 0, count: Self.headByteCount)
        guard TransportPacket.isTransportStream(head) else { return nil }
        // Whether a source on a server has an end is known once its first bytes have arrived.
        if let growth = source.growth, growth.expectedByteCount == nil, !growth.isRecording { return nil }
        self.source = source
    }

    private var end: Int64? { search.withLock(\.end) }

    var image: (any ByteSource)? { source }
    var path: String { source.path }
    var fileName: FilePath? { source.fileName }
    var identity: SourceIdentity { source.identity }
    /// Without a key, no plan is stored. A plan does not state where the source ends.
    var versionKey: String? { end == nil ? source.versionKey : nil }
    var byteCount: Int64 { end ?? source.byteCount }
    var growth: SourceGrowth? { end == nil ? source.growth : nil }
    var slides: Bool { source.slides }
    var live: LiveProgress? { source.live }
    var oldest: Int64 { source.oldest }
    var window: StreamWindow? { source.window }
    var bytesRead: UInt64 { source.bytesRead }
    var isRemote: Bool { source.isRemote }
    var arrivesByItself: Bool { source.arrivesByItself }
    var isUsable: Bool { source.isUsable }
    var traffic: SourceTraffic { source.traffic }

    var reception: StreamReception {
        // A live stream may have ended at such a change before it was opened: it then counts as stored, and has noted the
        // change itself.
        var reception = source.reception
        let (changes, hasEnded) = search.withLock { ($0.changes, $0.end != nil) }
        reception.changes += changes
        reception.isReplaced = reception.isReplaced || hasEnded
        return reception
    }

    func waits() -> AsyncStream<SourceDelivery> { source.waits() }
    func retry() { source.retry() }
    func report(_ playback: @escaping @Sendable () -> PlaybackReport?) { source.report(playback) }
    func expectPlayback(at bytesPerSecond: Double) { source.expectPlayback(at: bytesPerSecond) }
    func cursor(_ interrupt: InterruptFlag) -> any ByteCursor { Cursor(self, source.cursor(interrupt)) }
    func follower(_ interrupt: InterruptFlag) -> any ByteCursor { Cursor(self, source.follower(interrupt)) }
    func endGrowth() { source.endGrowth() }
    func slide(to start: Int64, keeping kept: Int64) { source.slide(to: start, keeping: kept) }
    func holdBack() { source.holdBack() }
    func renewConnection() { source.renewConnection() }
    func require(stream: Int) { search.withLock { $0.require(stream: stream) } }
    func verify() throws(EngineError) { try source.verify() }

    /// Examines bytes that a reader has received.
    ///
    /// - Returns: where the source ends, if that is known.
    private func examine(_ bytes: RawSpan, at offset: Int64) -> Int64? {
        search.withLock { search in
            let known = search.byteCount - offset
            if search.end == nil, known >= 0, known < bytes.byteCount {
                var new: [UInt8] = []
                new.append(copying: bytes.extracting(Int(known)..<bytes.byteCount))
                search.add(new)
            }
            return search.end
        }
    }

    private final class Cursor: ByteCursor {
        private let owner: TransportFile
        private let cursor: any ByteCursor

        init(_ owner: TransportFile, _ cursor: any ByteCursor) { (self.owner, self.cursor) = (owner, cursor) }

        var byteCount: Int64 { owner.end ?? cursor.byteCount }
        var isGrowing: Bool { owner.end == nil && cursor.isGrowing }

        func expect(_ ranges: [Range<Int64>]) { cursor.expect(ranges) }

        func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int {
            if let end = owner.end, offset >= end { return 0 }
            let before = output.byteCount
            let count = try cursor.read(at: offset, into: &output)
            guard count > 0, let end = owner.examine(output.bytes.extracting(before..<before + count), at: offset)
            else {
                return count
            }
            let excess = max(0, min(Int64(count), offset + Int64(count) - end))
            output.removeLast(Int(excess))
            return count - Int(excess)
        }
    }
}
