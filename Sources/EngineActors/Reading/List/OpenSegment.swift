// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// One segment of a list, opened by itself.
///
/// Not thread-safe: owned by one reader.
final class OpenSegment {
    /// The interpretation of its packets' times.
    private enum Clock {
        /// The packets have times on the group's clock.
        case stated
        /// As `stated`, for text. If cues are not repeated, each segment has only the part of a cue that is shown in
        /// it.
        case textStated(repeatsCues: Bool)
        /// Packed audio: times begin at 0. The value is when the first sample is presented, in ticks of 90 kHz; `nil` if the
        /// segment does not state it.
        case packed(Int64?)
        /// WebVTT: times are relative to the timestamp map, or without one to the start of the presentation.
        case text(WebVTTTimestampMap?)
    }

    private static let ticks = TimeBase(1, 90_000)

    let index: Int
    private(set) var context: FormatContext
    private let clock: Clock

    init(
        _ index: Int,
        of list: Int,
        in source: SegmentListSource,
        _ interrupt: InterruptFlag
    ) throws(EngineError) {
        self.index = index
        let bytes = try source.bytes(of: index, in: list, interrupt)
        guard source.parts[list].kind == .media else {
            let text: SegmentText
            do throws(TimedTextError) {
                text = try SegmentText(bytes)
            } catch {
                throw Self.failure(of: index, of: list, in: source, bytes, cause: error.reason)
            }
            context = try Self.open(text, index, of: list, in: source, interrupt)
            clock = Self.clock(text)
            return
        }
        let key = try source.sampleKey(of: index, in: list, interrupt)
        context = try Self.open(bytes, index, of: list, in: source, key: key?.key, interrupt)
        clock = context.container.isElementary ? .packed(Self.packedTimestamp(bytes)) : .stated
        if context.container.hasFramedPackets { context.disableParsing() }
    }

    /// The first segment of a list, which describes the list's streams. For text, an empty file serves instead: its stream
    /// needs no description.
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

    /// A segment of the leading list, with its streams identified.
    static func identified(
        _ index: Int,
        of source: SegmentListSource,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> OpenSegment {
        let segment = try OpenSegment(index, of: 0, in: source, interrupt)
        try segment.identifyStreams(of: source, measuresRates: false)
        return segment
    }

    /// Opens the first bytes of a segment of the leading list.
    private init(
        _ beginning: [UInt8],
        _ index: Int,
        in source: SegmentListSource,
        _ interrupt: InterruptFlag
    ) throws(EngineError) {
        self.index = index
        context = try Self.open(beginning, index, of: 0, in: source, interrupt)
        clock = .stated
    }

    private init(text list: Int, in source: SegmentListSource, _ interrupt: InterruptFlag) throws(EngineError) {
        index = 0
        let text = SegmentText.empty(try source.mapOfText(in: list, interrupt))
        clock = Self.clock(text)
        context = try Self.open(text, 0, of: list, in: source, interrupt)
    }

    private static func clock(_ text: SegmentText) -> Clock {
        switch text.clock {
        case .mapped(let map): .text(map)
        case .stated(let repeatsCues): .textStated(repeatsCues: repeatsCues)
        }
    }

    private static func open(
        _ text: SegmentText,
        _ index: Int,
        of list: Int,
        in source: SegmentListSource,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> FormatContext {
        do throws(FFmpegError) {
            return try FormatContext.open(text: text.bytes, demuxer: text.demuxer, interrupt: interrupt)
        } catch {
            if error.isInterruption { throw EngineError(error, .segmentFailed, "opening segment \(index)") }
            throw failure(of: index, of: list, in: source, text.bytes, cause: "\(error)")
        }
    }

    /// - Parameters:
    ///   - bytes: the bytes of the segment.
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
            return try FormatContext.open(segment: bytes, key: key, interrupt: interrupt)
        } catch {
            if error.isInterruption { throw EngineError(error, .segmentFailed, "opening segment \(index)") }
            throw failure(of: index, of: list, in: source, bytes, cause: "\(error)")
        }
    }

    private static func failure(
        of index: Int,
        of list: Int,
        in source: SegmentListSource,
        _ bytes: [UInt8],
        cause: String
    ) -> EngineError {
        let url = source.shownURL(of: index, in: list)
        return EngineError(
            .segmentFailed,
            "segment \(index) of \(source.path), \(url), is not \(source.parts[list].kind == .text ? "text" : "media")",
            cause: "\(cause); it has \(bytes.count) bytes and begins with \(beginning(of: bytes))"
        )
    }

    /// Reads into the segment until everything about its streams is known, if its header does not describe them. Call
    /// it at most once. Without this call, most audio frames of MPEG-TS have no times: the times of the frames within a
    /// PES packet are computed from the frame length, which is found here.
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

    /// As `FormatContext.findStreamInfo`.
    func findStreamInfo() throws(FFmpegError) { try context.findStreamInfo() }

    /// As `FormatContext.keep`.
    func keep(only streams: Set<Int>) { context.keep(only: streams) }

    /// The first bytes for a message: as text if they are printable, otherwise in hexadecimal.
    private static func beginning(of bytes: [UInt8]) -> String {
        let head = bytes.prefix(16)
        if head.allSatisfy({ (0x20...0x7E).contains($0) }) { return "\"\(String(decoding: head, as: UTF8.self))\"" }
        return head.map { Hexadecimal.text([$0]) }.joined(separator: " ")
    }

    private static func packedTimestamp(_ bytes: [UInt8]) -> Int64? {
        do throws(PackagingError) {
            return try PackedAudioHead(bytes).timestamp
        } catch {
            // A segment with a damaged tag is placed like one without a tag: where the playlist implies.
            return nil
        }
    }

    /// Whether the first packet of the video of a segment is a keyframe. True if it has no video.
    ///
    /// - Parameter index: a segment of the leading list that is MPEG-TS or elementary.
    static func beginsWithKeyframe(
        _ index: Int,
        in source: SegmentListSource,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> Bool {
        do throws(EngineError) {
            let start = try source.beginning(of: index, interrupt).map { bytes throws(EngineError) in
                try OpenSegment(bytes, index, in: source, interrupt)
            }
            if let isKey = try start?.beginsWithKeyframe(in: source) { return isKey }
        } catch {
            // The segment may be shorter, or its start may not suffice.
            if error.code == .cancelled { throw error }
        }
        return try OpenSegment(index, of: 0, in: source, interrupt).beginsWithKeyframe(in: source) ?? true
    }

    /// As above; `nil` if there is no video, or if no packet of it can be read.
    private func beginsWithKeyframe(in source: SegmentListSource) throws(EngineError) -> Bool? {
        try identifyStreams(of: source, measuresRates: false)
        guard let video = context.streamInfos().first(where: { $0.kind == .video })?.index else { return nil }
        context.keep(only: [video])
        do throws(FFmpegError) {
            return try context.readPacket()?.isKey
        } catch {
            try error.mustBeBad("reading segment \(index) of \(source.path)")
            return nil
        }
    }

    /// The next packet. `nil` at the end of the segment, and after a damaged packet, because the rest is skipped.
    ///
    /// - Parameter path: the path of the source.
    func nextPacket(of path: String) throws(EngineError) -> Packet? {
        do throws(FFmpegError) {
            return try context.readPacket()
        } catch {
            try error.mustBeBad("reading \(path)")
            return nil
        }
    }

    /// When the segment is presented, on its own clock: the time of its first picture, or of its first packet if it has
    /// no picture. `isKey`: whether that picture is a keyframe; true if there is none. `picture`: its packet. Consumes
    /// packets.
    ///
    /// - Parameter path: the path of the source.
    func beginning(of path: String) throws(EngineError) -> (time: MediaTime, isKey: Bool, picture: Packet?) {
        let infos = context.streamInfos()
        let video = infos.first { $0.kind == .video }?.index
        var other: MediaTime?
        while true {
            guard let packet = try nextPacket(of: path) else { break }
            guard let info = infos.first(where: { $0.index == packet.streamIndex }),
                info.kind == .video || info.kind == .audio, let time = packet.pts ?? packet.dts
            else { continue }
            let found = MediaTime(time, in: info.timeBase) + shift
            if info.index == video { return (found, packet.isKey, packet) }
            if video == nil { return (found, true, nil) }
            other = other ?? found
        }
        guard let other else {
            throw EngineError(.segmentFailed, "segment \(index) of \(path) has no packet with a time")
        }
        return (other, true, nil)
    }

    /// The kinds of media of which the segment has packets, or tracks if its header describes them. Consumes packets.
    ///
    /// - Parameter path: the path of the source.
    func mediaKinds(of path: String) throws(EngineError) -> Set<StreamKind> {
        let wanted: Set<StreamKind> = [.video, .audio]
        var kinds: Set<StreamKind> = []
        if context.container.describesItself { kinds = Set(context.streamInfos().map(\.kind)) }
        while !kinds.isSuperset(of: wanted), let packet = try nextPacket(of: path) {
            let info = context.streamInfos().first { $0.index == packet.streamIndex }
            if let info { kinds.insert(info.kind) }
        }
        return kinds.intersection(wanted)
    }

    /// Whether the segment itself states when its media is presented. False for text.
    var statesTimes: Bool {
        switch clock {
        case .stated, .packed(.some): true
        case .packed(nil), .text, .textStated: false
        }
    }

    /// Whether its clock wraps at 33 bits.
    var wraps: Bool {
        switch clock {
        case .text(let map): return map != nil
        case .textStated: return false
        case .stated, .packed: break
        }
        return context.container.isMPEGTS || context.container.isElementary
    }

    /// Whether it may begin without a packet, as text does.
    var isSparse: Bool {
        switch clock {
        case .text, .textStated: true
        case .stated, .packed: false
        }
    }

    /// Whether it has all cues that are shown in it, with their whole times. `false` for media.
    var repeatsCues: Bool {
        switch clock {
        case .text: true
        case .textStated(let repeatsCues): repeatsCues
        case .stated, .packed: false
        }
    }

    /// The offset to add to the times of its packets, if the segment itself states it: the presentation time of the
    /// first sample of packed audio. Zero for any other segment.
    var shift: MediaTime {
        if case .packed(let ticks?) = clock { MediaTime(ticks, in: Self.ticks) } else { .zero }
    }

    /// The offset to add to the times of its packets. If the segment does not state it, the playlist determines it.
    ///
    /// - Parameter start: where the segment begins, counted from the start of the list.
    func shift(near start: MediaTime, by clock: ListClock) -> MediaTime {
        switch self.clock {
        case .stated, .textStated: .zero
        case .packed(let ticks?): MediaTime(ticks, in: Self.ticks)
        case .packed(nil): clock.anchor + start - clock.start
        case .text(let map?): MediaTime(map.ticks, in: Self.ticks) - map.local
        case .text(nil): clock.anchor - clock.start
        }
    }
}
