// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// One segment of a list, opened by itself.
///
/// Not thread-safe: owned by one reader.
final class OpenSegment {
    /// Where the times of its packets begin.
    private enum Clock {
        /// As the container states them.
        case stated
        /// At 0, for packed audio, which states when its first sample is presented, in ticks of 90 kHz, or nothing.
        case packed(Int64?)
        /// At the map of a WebVTT segment; without one, where the presentation begins.
        case text(WebVTTTimestampMap?)
    }

    /// A text that says no more than what it is.
    private static let emptyText = Array("WEBVTT\n\n".utf8)

    private static let ticks = TimeBase(1, 90_000)

    let index: Int
    var context: FormatContext
    private let clock: Clock

    init(
        _ index: Int,
        of list: Int,
        in source: SegmentListSource,
        _ interrupt: InterruptFlag
    ) throws(EngineError) {
        self.index = index
        let bytes = try source.bytes(of: index, in: list, interrupt)
        let key = try source.sampleKey(of: index, in: list, interrupt)
        context = try Self.open(bytes, index, of: list, in: source, key: key?.key, interrupt)
        guard source.parts[list].kind == .media else {
            clock = .text(WebVTTTimestampMap(bytes))
            return
        }
        clock = context.container.isElementary ? .packed(Self.packedTimestamp(bytes)) : .stated
        if context.container.hasFramedPackets { context.takePacketsAsTheyAre() }
    }

    /// A list's streams as its first segment describes them. Those of text are known without it.
    static func head(
        of list: Int,
        in source: SegmentListSource,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> OpenSegment {
        guard source.parts[list].kind == .text else {
            return try OpenSegment(source.parts[list].list.head, of: list, in: source, interrupt)
        }
        return try OpenSegment(text: list, in: source, interrupt)
    }

    private init(text list: Int, in source: SegmentListSource, _ interrupt: InterruptFlag) throws(EngineError) {
        index = 0
        clock = .text(nil)
        context = try Self.open(Self.emptyText, 0, of: list, in: source, interrupt)
    }

    /// - Parameters:
    ///   - bytes: those of the segment.
    ///   - key: decrypts samples of fMP4.
    /// - Throws: `segmentFailed` if it is not media.
    static func open(
        _ bytes: [UInt8],
        _ index: Int,
        of list: Int,
        in source: SegmentListSource,
        key: [UInt8]? = nil,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> FormatContext {
        do throws(FFmpegError) {
            return switch source.parts[list].kind {
            case .media: try FormatContext.open(segment: bytes, key: key, interrupt: interrupt)
            case .text: try FormatContext.open(text: bytes, interrupt: interrupt)
            }
        } catch {
            if error.isInterruption { throw EngineError(error, .segmentFailed, "opening segment \(index)") }
            throw EngineError(
                .segmentFailed,
                "segment \(index) of \(source.path), \(source.shownURL(of: index, in: list)), is not media",
                cause: "\(error); it has \(bytes.count) bytes and begins with \(Self.beginning(of: bytes))"
            )
        }
    }

    /// Reads into the segment until everything about its streams is known, if its header does not describe them. At most
    /// once. Without, most audio of MPEG-TS has no times: those of the frames within a PES packet follow from their
    /// lengths.
    ///
    /// - Parameter measuresRates: whether the frame rates of videos are wanted.
    func identifyStreams(of source: SegmentListSource, measuresRates: Bool = true) throws(EngineError) {
        guard !context.container.describesItself, !isSparse else { return }
        do throws(FFmpegError) {
            try context.findStreamInfo(measuresRates: measuresRates)
        } catch {
            throw EngineError(error, .sourceNotMedia, "the streams of \(source.path) could not be identified")
        }
    }

    /// The first bytes, as text where they are text.
    private static func beginning(of bytes: [UInt8]) -> String {
        let head = bytes.prefix(16)
        if head.allSatisfy({ (0x20...0x7E).contains($0) }) { return "\"\(String(decoding: head, as: UTF8.self))\"" }
        return head.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }

    private static func packedTimestamp(_ bytes: [UInt8]) -> Int64? {
        do throws(PackagingError) {
            return try PackedAudioHead(bytes).timestamp
        } catch {
            // A segment whose tag is damaged lies where the playlist says, like one that has none.
            return nil
        }
    }

    /// Whether the first packet of its video is a keyframe. Also if it has no video.
    func beginsWithKeyframe(path: String) throws(EngineError) -> Bool {
        guard let video = context.streamInfos().first(where: { $0.kind == .video })?.index else { return true }
        context.keep(only: [video])
        do throws(FFmpegError) {
            return try context.readPacket()?.isKey ?? true
        } catch {
            try error.mustBeBad("reading segment \(index) of \(path)")
            return true
        }
    }

    /// Whether its packets say when they are presented.
    var statesTimes: Bool {
        switch clock {
        case .stated, .packed(.some): true
        case .packed(nil), .text: false
        }
    }

    /// Whether its clock starts again after 33 bits.
    var wraps: Bool {
        if case .text(let map) = clock { return map != nil }
        return context.container.isMPEGTS || context.container.isElementary
    }

    /// Whether its first packet may come at any time within it.
    var isSparse: Bool { if case .text = clock { true } else { false } }

    /// Added to the times of its packets: when it is presented, where they do not say that. Zero if nothing says it.
    var shift: MediaTime {
        if case .packed(let ticks?) = clock { MediaTime(ticks, in: Self.ticks) } else { .zero }
    }

    /// The same. A segment that says nothing lies where the playlist says.
    ///
    /// - Parameter start: where it begins, from the start of the list.
    func shift(near start: MediaTime, by clock: ListClock) -> MediaTime {
        switch self.clock {
        case .stated: .zero
        case .packed(let ticks?): MediaTime(ticks, in: Self.ticks)
        case .packed(nil): clock.anchor + start - clock.start
        case .text(let map?): MediaTime(map.ticks, in: Self.ticks) - map.local
        case .text(nil): clock.anchor - clock.start
        }
    }
}
