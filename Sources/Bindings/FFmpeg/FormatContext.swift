// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// An open libavformat input.
///
/// Owns the `AVFormatContext`. The value is neither copyable nor sendable, so only the actor that opened it can use it.
/// Every call may block and must be made on a thread executor.
@safe package struct FormatContext: ~Copyable {
    let pointer: UnsafeMutablePointer<AVFormatContext>
    package let container: ContainerFormat
    /// Keeps the flag alive for as long as C may read it.
    private let interrupt: InterruptFlag
    /// Whether the demuxer was made to begin in the middle of the source.
    private let beginsMidway: Bool
    /// Destroyed after `deinit` has closed the context that reads from it.
    private let io: IOContext

    /// The purpose for which a source is opened.
    package enum Purpose: Sendable {
        /// Packets with their payload.
        case reading
        /// A walk over packet headers: after `skipPayload()`, large payloads are not read.
        case walking
    }

    /// How much callers know about an MP4 file's edit lists.
    package enum Edits: Sendable {
        case any
        /// Each track is presented whole, so its sample table can be used as it is stored (`advanced_editlist`).
        case simple
    }

    private init(
        pointer: UnsafeMutablePointer<AVFormatContext>,
        io: consuming IOContext,
        beginsMidway: Bool,
        interrupt: InterruptFlag
    ) {
        unsafe self.pointer = pointer
        container = unsafe ContainerFormat(name: String(cString: pointer.pointee.iformat.pointee.name))
        self.io = io
        self.beginsMidway = beginsMidway
        self.interrupt = interrupt
    }

    /// Opens `source` (`avformat_open_input`). Only the containers of `ContainerFormat` and no protocols are allowed,
    /// so that a file cannot make the engine read another file or contact a host.
    ///
    /// - Parameters:
    ///   - keepsTeletextTimes: whether teletext packets keep their own timestamps instead of getting them from the
    ///     program's clock (`fix_teletext_pts`), for a source without that clock.
    ///   - joined: the container, if the source consists of parts with separate clocks, which the caller maps to one
    ///     timeline. Timestamps are then returned as stored (`correct_ts_overflow`), the duration is not estimated
    ///     (`skip_estimate_duration_from_pts`), and nothing is read to find out the container.
    ///   - fragments: how the fragments of an MP4 file are found.
    ///   - part: the bytes that are opened as if they were the source; `nil`: all.
    /// - Throws: libavformat's error, with the failure of the source if it could not be read.
    package static func open(
        _ source: any ByteSource,
        for purpose: Purpose,
        edits: Edits = .any,
        keepsTeletextTimes: Bool = false,
        joined: JoinedContainer? = nil,
        fragments: FragmentAccess = .listed,
        part: Range<Int64>? = nil,
        interrupt: InterruptFlag
    ) throws(FFmpegError) -> FormatContext {
        let whole = purpose == .walking ? source.follower(interrupt) : source.cursor(interrupt)
        return try open(
            store: part.map { PartCursor(whole, part: $0) } ?? whole,
            for: purpose,
            fragments: fragments,
            DemuxerOptions(
                edits: edits,
                keepsTeletextTimes: keepsTeletextTimes,
                keepsWraps: joined != nil,
                skipsEnd: joined != nil
            ),
            as: joined.map { KnownFormat(name: $0.rawValue, formats: $0.rawValue) },
            interrupt: interrupt
        )
    }

    /// Opens a segment of text.
    ///
    /// - Parameter demuxer: libavformat's name.
    package static func open(
        text bytes: [UInt8],
        demuxer: String,
        interrupt: InterruptFlag
    ) throws(FFmpegError) -> FormatContext {
        let known = KnownFormat(name: demuxer, formats: demuxer)
        return try open(store: MemoryStore(bytes), for: .reading, as: known, interrupt: interrupt)
    }

    /// Opens one segment of a playlist on its own. Timestamps are returned as stored (`correct_ts_overflow`): the
    /// caller, who knows the segment's position on the timeline, handles wraps of the clock.
    ///
    /// - Parameter key: as `DemuxerOptions.key`.
    package static func open(
        segment bytes: [UInt8],
        key: [UInt8]? = nil,
        interrupt: InterruptFlag
    ) throws(FFmpegError) -> FormatContext {
        let choices = DemuxerOptions(keepsWraps: true, key: key)
        return try open(store: MemoryStore(bytes), for: .reading, choices, interrupt: interrupt)
    }

    static func open(
        store: any ByteCursor,
        for purpose: Purpose,
        fragments: FragmentAccess = .listed,
        _ choices: DemuxerOptions = DemuxerOptions(),
        as known: KnownFormat? = nil,
        interrupt: InterruptFlag
    ) throws(FFmpegError) -> FormatContext {
        assertMayBlock("avformat_open_input")
        LibraryLog.quieten()
        let store = fragments.skipped.map { SkippingCursor(store, skipping: $0) } ?? store
        let io = IOContext(reading: store, headersOnly: purpose == .walking, interrupt: interrupt)
        let context = unsafe allocated(avformat_alloc_context(), by: "avformat_alloc_context")
        unsafe context.pointee.interrupt_callback = interrupt.callback
        unsafe context.pointee.pb = io.pointer
        // An index of a growing source is missing or covers only an earlier length; followed fragments are not listed.
        // A source that has ended since `io` was made still counts as growing: `io` does not let libavformat seek yet,
        // so a search for the other fragments would find none (`mov_read_default`).
        if io.openedWhileGrowing || fragments.ignoresIndex { unsafe context.pointee.flags |= AVFMT_FLAG_IGNIDX }
        unsafe context.pointee.format_whitelist = av_strdup(known?.formats ?? ContainerFormat.whitelist)
        unsafe context.pointee.protocol_whitelist = av_strdup(known?.protocols ?? "none")
        var opened: UnsafeMutablePointer<AVFormatContext>? = unsafe context
        var options: OpaquePointer?
        defer { unsafe av_dict_free(&options) }
        unsafe choices.set(in: &options)
        for option in known?.options ?? [] { unsafe av_dict_set(&options, option.name, option.value, 0) }
        let format = unsafe known.map { unsafe av_find_input_format($0.name) } ?? nil
        // On failure this frees the context, but never the caller's `pb`.
        let status = unsafe avformat_open_input(&opened, nil, format, &options)
        if status < 0 { throw io.openingError(status, isIdentifying: known == nil && !interrupt.isUp) }
        let result = unsafe FormatContext(
            pointer: context,
            io: io,
            beginsMidway: fragments.skipped != nil,
            interrupt: interrupt
        )
        if result.container.isMP4 { unsafe UnknownEntries.setCodecs(in: context) }
        return result
    }

    /// Checks a call that reads the source. Throws if the call failed, a read of the source failed, or the call was
    /// interrupted. The status alone is not enough, because a demuxer may report a failed read as the end of the
    /// source.
    ///
    /// - Returns: whether the call reached the end of the source.
    @discardableResult
    private func checkRead(_ status: CInt, _ function: String) throws(FFmpegError) -> Bool {
        if let failure = io.takeFailure() {
            throw FFmpegError(status < 0 ? status : CFFmpegErrorInvalidData, in: function, source: failure)
        }
        if status < 0, interrupt.isUp { throw FFmpegError(CFFmpegErrorExit, in: function) }
        if status == CFFmpegErrorEOF { return true }
        try check(status, function)
        return false
    }

    /// `checkRead` for a call that must not reach the end.
    func checkArrival(_ status: CInt, _ function: String) throws(FFmpegError) {
        if try checkRead(status, function) { throw FFmpegError(status, in: function) }
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFormatContext>? = unsafe pointer
        unsafe avformat_close_input(&pointer)
    }

    package var streamCount: Int { unsafe Int(pointer.pointee.nb_streams) }

    /// Reads ahead until the parameters of every stream are known (`avformat_find_stream_info`), within bounds.
    ///
    /// - Parameters:
    ///   - patience: how much media to read at most while the parameters of a stream are unknown.
    ///   - measuresRates: whether to measure frame rates, for which many frames are read.
    package mutating func findStreamInfo(
        within patience: MediaTime = .seconds(10),
        measuresRates: Bool = true
    ) throws(FFmpegError) {
        assertMayBlock("avformat_find_stream_info")
        if !measuresRates { unsafe pointer.pointee.fps_probe_size = 0 }
        unsafe pointer.pointee.probesize = 50 << 20
        unsafe pointer.pointee.max_analyze_duration = patience.microseconds
        unsafe pointer.pointee.max_streams = 256
        try checkArrival(unsafe avformat_find_stream_info(pointer, nil), "avformat_find_stream_info")
    }

    /// Returns packets exactly as the container has them: no parser splits or inspects them, and no timestamps are
    /// filled in. Only for containers whose packets are whole frames with their own timestamps.
    package mutating func disableParsing() {
        unsafe pointer.pointee.flags |= AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN
    }

    /// From now on, large payloads are skipped. Only after `open(_:for: .walking)`.
    package mutating func skipPayload() { io.skipPayload() }

    /// Drops the packets of every stream but `streams` inside the demuxer (`AVStream.discard`).
    package mutating func keep(only streams: Set<Int>) {
        for index in 0..<streamCount {
            guard let stream = unsafe pointer.pointee.streams[index] else { continue }
            unsafe stream.pointee.discard = streams.contains(index) ? AVDISCARD_DEFAULT : AVDISCARD_ALL
        }
    }

    /// Returns the next packet of a kept stream, or `nil` at the end (`av_read_frame`).
    package mutating func readPacket() throws(FFmpegError) -> Packet? { try unsafe nextPacket { _ in nil } }

    mutating func nextPacket(
        order: (UnsafePointer<AVPacket>) -> Int?
    ) throws(FFmpegError) -> Packet? {
        assertMayBlock("av_read_frame")
        let buffer = PacketBuffer()
        let status = unsafe av_read_frame(pointer, buffer.pointer)
        if try checkRead(status, "av_read_frame") { return nil }
        // Segments share the payload, so it must be reference-counted and not borrowed from the demuxer.
        try check(unsafe av_packet_make_refcounted(buffer.pointer), "av_packet_make_refcounted")
        // If the demuxer begins midway, libavformat takes the first audio packet for the start of the track and marks
        // samples of that packet to be dropped as priming. They must be kept.
        let privateData = buffer.takePrivateData(keepingSkips: !beginsMidway)
        unsafe correctKey(of: buffer.pointer)
        let order = unsafe order(buffer.pointer)
        return buffer.seal(pictureOrder: order, newPrivateData: privateData)
    }

    /// Seeks to the last random access point of `stream` at or before `timestamp` (`av_seek_frame`).
    package mutating func seek(stream: Int, atOrBefore timestamp: Int64) throws(FFmpegError) {
        assertMayBlock("av_seek_frame")
        try checkArrival(
            unsafe av_seek_frame(pointer, CInt(stream), timestamp, AVSEEK_FLAG_BACKWARD),
            "av_seek_frame"
        )
    }

    /// Seeks to a byte position, for containers that can be read from anywhere (`AVSEEK_FLAG_BYTE`).
    package mutating func seek(byte position: Int64) throws(FFmpegError) {
        assertMayBlock("av_seek_frame")
        try checkArrival(unsafe av_seek_frame(pointer, -1, position, AVSEEK_FLAG_BYTE), "av_seek_frame")
    }

    /// Allows the demuxer to seek in a growing source. Call it once the source is open and its streams are known.
    ///
    /// Transport and program streams are then read again from their start, because the packets that
    /// `avformat_find_stream_info` has read ahead lack timestamps: the frame duration was not known yet. In a complete
    /// source, libavformat itself drops these packets when it reads the end of the source to find the duration.
    package mutating func allowSeeks() throws(FFmpegError) {
        if io.allowSeeks(), container.isMPEGTS || container.isMPEGPS { try seek(byte: 0) }
    }

    /// Whether the source was growing when it was opened. If so, libavformat has not read an index at its end.
    package var openedWhileGrowing: Bool { io.openedWhileGrowing }

    /// The byte position of the next read from the source. libavformat may have buffered bytes before it.
    package var fileOffset: Int64 { io.fileOffset }
}
