// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// A clip of a disc, and the facts that the disc states about it.
struct DiscClip {
    let file: DiscFile
    /// By the PID of the stream.
    let entryPoints: [Int: [ClipInformation.EntryPoint]]
    /// As `ClipInformation.streams`.
    var streams: Set<Int>?

    /// The entry points of a stream. Their clock wraps, so each time is the one nearest to `entry`.
    fileprivate func points(_ video: Int?, near entry: Int64) -> [TitleMap.Entry] {
        (video.flatMap { entryPoints[$0] } ?? []).map { point in
            TitleMap.Entry(
                time: entry + TitleTimeline.distance(from: entry, to: point.time),
                position: point.packet * Int64(TransportUnit.packetByteCount)
            )
        }
    }

    /// The last entry point at or before a time. If there is none, the start of the clip.
    func start(of entry: Int64, _ video: Int?) -> TitleMap.Entry {
        points(video, near: entry).last { $0.time <= entry + 1 } ?? TitleMap.Entry(time: entry, position: 0)
    }
}

/// Assembles the bytes and the clock of a title from parts of clips.
struct TitleBuilder {
    /// When a part begins on its own 33-bit clock, and how long it lasts, in ticks of 90 kHz.
    struct Range {
        let entry: Int64
        let duration: Int64
    }

    /// The number of bytes at an entry point that are read to find its time.
    private static let unitByteCount = 4096

    private let video: Int?
    private let rate: UInt8?
    private(set) var pieces: [DiscFile.Piece]
    private(set) var stretches: [TitleTimeline.Stretch] = []
    /// The entry points of each stretch.
    private var entries: [[TitleMap.Entry]] = []
    private var byteCount: Int64

    /// - Parameters:
    ///   - video: the PID of the video.
    ///   - rate: the disc's code for the frame rate of the video.
    ///   - head: the bytes that precede the first part.
    init(video: Int?, rate: UInt8?, after head: TitleHead = TitleHead()) {
        self.video = video
        self.rate = rate
        pieces = head.pieces
        byteCount = head.byteCount
    }

    /// The entry points that the disc states. `nil` if it states none for at least one part, or no video with a known
    /// frame rate.
    var map: TitleMap? {
        guard let video, let rate, let times = EntryTimes(rate: rate), entries.allSatisfy({ !$0.isEmpty }) else {
            return nil
        }
        return .points(PointMap(video: video, times: times, entries: entries))
    }

    /// Adds a part of a clip, starting at the last entry point at or before the part's beginning. If the part begins
    /// between two entry points, it is shown from the earlier one, because decoding can start only there.
    ///
    /// - Parameter overrun: how far the clip is read beyond the end of its part, in ticks of 90 kHz.
    /// - Returns: whether the clip contains the whole part. If not, the beginning that exists, if any, is added, and
    ///   nothing can follow.
    /// - Throws: `sourceNotMedia` if the clip contains nothing of the title's first part.
    mutating func add(
        _ range: Range,
        of clip: DiscClip,
        overrun: Int64,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> Bool {
        let points = clip.points(video, near: range.entry)
        let exact = ClipInformation.precision
        let first = points.lastIndex { $0.time <= range.entry + 1 } ?? 0
        var entry = range.entry
        if points.indices.contains(first), points[first].time + exact <= range.entry - TitleTimeline.tolerance,
            let time = try time(of: points[first], in: clip.file, interrupt)
        {
            entry = range.entry + TitleTimeline.distance(from: range.entry, to: time)
        }
        var end = range.entry + range.duration
        let low = points.indices.contains(first) && first > 0 ? points[first].position : 0
        let beyond = points.first { $0.time >= end + overrun && $0.position > low }?.position
        let high = min(clip.file.byteCount, beyond ?? .max)
        let wanted = Array(points.dropFirst(first).prefix { $0.time + exact / 2 < end })
        var used = wanted.prefix { $0.position < high }
        guard low < high, wanted.isEmpty || !used.isEmpty else {
            if !stretches.isEmpty { return false }
            let text = "a part of a title lies beyond the end of its clip"
            throw EngineError(.sourceNotMedia, text, cause: "it begins at byte \(low) of \(clip.file.byteCount)")
        }
        let isWhole = used.count == wanted.count
        if !isWhole {
            // Some pictures after the last entry point that exists are missing, so the part ends there; if there is no
            // other, it ends at the next one.
            if used.count > 1 { used.removeLast() }
            let last = wanted[used.count]
            let time = try time(of: last, in: clip.file, interrupt) ?? last.time
            end = range.entry + TitleTimeline.distance(from: range.entry, to: time)
        }
        entries.append(used.map { TitleMap.Entry(time: $0.time, position: byteCount + $0.position - low) })
        stretches.append(
            TitleTimeline.Stretch(
                position: byteCount,
                entry: entry & ((1 << 33) - 1),
                start: stretches.last?.end ?? 0,
                duration: end - entry
            )
        )
        pieces += clip.file.pieces(of: low..<high)
        byteCount += high - low
        return isWhole
    }

    private func time(
        of point: TitleMap.Entry,
        in file: DiscFile,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> Int64? {
        guard let video else { return nil }
        var bytes: [UInt8] = []
        for piece in file.pieces(of: point.position..<point.position + Int64(Self.unitByteCount)) {
            let cursor = piece.source.cursor(interrupt)
            // Without this, more would be requested from a server.
            cursor.expect([piece.range])
            bytes += try cursor.read(at: piece.range.lowerBound, count: Int(piece.byteCount))
        }
        return TransportUnit(bytes, pid: video)?.time
    }
}
