// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import EngineModel

/// A packet from the demuxer, immutable once created.
@safe package final class Packet: ByteRegion {
    // SAFETY: the pointee is written only by `PacketBuffer`, which gives it up in `seal()`; its payload is an
    // `AVBufferRef`, whose count is atomic.
    private nonisolated(unsafe) let pointer: UnsafeMutablePointer<AVPacket>

    /// The frame's position in output order within its coded video sequence, if the container has no presentation times
    /// and the parser reports it (`AVCodecParserContext.output_picture_number`).
    package let pictureOrder: Int?

    /// Codec private data that applies from this packet on, if the container changes it midway
    /// (`AV_PKT_DATA_NEW_EXTRADATA`).
    package let newPrivateData: [UInt8]?

    /// The number of the format of the packet's stream, for a source with several formats; 0 is the format in which the
    /// stream was opened.
    package let format: Int

    /// The number of a format of which nothing is known.
    package static let unknownFormat = -1

    fileprivate init(
        taking pointer: UnsafeMutablePointer<AVPacket>,
        pictureOrder: Int?,
        newPrivateData: [UInt8]?,
        format: Int = 0
    ) {
        unsafe self.pointer = pointer
        self.pictureOrder = pictureOrder
        self.newPrivateData = newPrivateData
        self.format = format
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVPacket>? = unsafe pointer
        unsafe av_packet_free(&pointer)
    }

    package var streamIndex: Int { unsafe Int(pointer.pointee.stream_index) }
    package var byteCount: Int { unsafe Int(pointer.pointee.size) }
    /// In ticks of the stream, as in the source. `nil` if the packet has none.
    package var pts: Int64? { unsafe pointer.pointee.pts.timestamp }
    package var dts: Int64? { unsafe pointer.pointee.dts.timestamp }
    /// In ticks of the stream. 0 when unknown.
    package var duration: Int64 { unsafe pointer.pointee.duration }
    package var isKey: Bool { unsafe pointer.pointee.flags & AV_PKT_FLAG_KEY != 0 }
    /// Whether the packet is decoded but not shown, because an edit list hides it (`AV_PKT_FLAG_DISCARD`).
    package var isDiscarded: Bool { unsafe pointer.pointee.flags & AV_PKT_FLAG_DISCARD != 0 }
    package var isCorrupt: Bool { unsafe pointer.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 }
    /// The packet's byte position in the file; `nil` if the demuxer does not report it.
    package var position: Int64? { unsafe pointer.pointee.pos >= 0 ? pointer.pointee.pos : nil }

    /// The number of samples at the end of the packet that decoders discard (`AV_PKT_DATA_SKIP_SAMPLES`), because the
    /// stream ends before them.
    package var trimmedSampleCount: Int {
        var size = 0
        guard let data = unsafe av_packet_get_side_data(pointer, AV_PKT_DATA_SKIP_SAMPLES, &size), size >= 8 else {
            return 0
        }
        return (4..<8).reversed().reduce(0) { unsafe $0 << 8 | Int(data[$1]) }
    }

    /// The same payload with a presentation time, in ticks of the stream, for a container that has none.
    package func presented(at time: Int64) -> Packet {
        let copy = unsafe allocated(av_packet_clone(pointer), by: "av_packet_clone")
        unsafe copy.pointee.pts = time
        return unsafe copied(copy)
    }

    /// The same payload with `tag` instead of its times, so that a decoder passes the tag on to the packet's frame. The
    /// frame is returned even if an edit list hides it.
    package func tagged(_ tag: Int64) -> Packet {
        let copy = unsafe allocated(av_packet_clone(pointer), by: "av_packet_clone")
        unsafe (copy.pointee.pts, copy.pointee.dts) = (tag, tag)
        unsafe copy.pointee.flags &= ~AV_PKT_FLAG_DISCARD
        return unsafe copied(copy)
    }

    /// The same payload, shifted by `ticks` of the stream. Overflow wraps, because the times of a damaged file may have
    /// any value.
    package func moved(by ticks: Int64) -> Packet {
        let copy = unsafe allocated(av_packet_clone(pointer), by: "av_packet_clone")
        if let pts { unsafe copy.pointee.pts = pts &+ ticks }
        if let dts { unsafe copy.pointee.dts = dts &+ ticks }
        return unsafe copied(copy)
    }

    /// The same packet at another position in the file. Unchanged if it states none.
    package func moved(byBytes count: Int64) -> Packet {
        guard let position, count != 0 else { return self }
        let copy = unsafe allocated(av_packet_clone(pointer), by: "av_packet_clone")
        unsafe copy.pointee.pos = position + count
        return unsafe copied(copy)
    }

    /// Converts a packet of one segment to a packet of the whole playlist: the same payload with the times, the stream
    /// index and the position that it has there.
    package func listed(
        stream: Int,
        pts: Int64?,
        dts: Int64?,
        duration: Int64,
        position: Int64?,
        newPrivateData: [UInt8]? = nil,
        format: Int = 0
    ) -> Packet {
        let copy = unsafe allocated(av_packet_clone(pointer), by: "av_packet_clone")
        unsafe copy.pointee.stream_index = CInt(stream)
        unsafe copy.pointee.pts = pts ?? CFFmpegNoTimestamp
        unsafe copy.pointee.dts = dts ?? CFFmpegNoTimestamp
        unsafe copy.pointee.duration = duration
        unsafe copy.pointee.pos = position ?? -1
        return unsafe Packet(
            taking: copy,
            pictureOrder: pictureOrder,
            newPrivateData: newPrivateData ?? self.newPrivateData,
            format: format
        )
    }

    /// The same packet with a duration, in ticks of the stream.
    package func lasting(_ duration: Int64) -> Packet {
        let copy = unsafe allocated(av_packet_clone(pointer), by: "av_packet_clone")
        unsafe copy.pointee.duration = duration
        return unsafe copied(copy)
    }

    /// The palette that applies from this packet on (`AV_PKT_DATA_PALETTE`).
    package var palette: [UInt8]? {
        var size = 0
        guard let data = unsafe av_packet_get_side_data(pointer, AV_PKT_DATA_PALETTE, &size), size > 0 else {
            return nil
        }
        return unsafe Array(UnsafeBufferPointer(start: data, count: size))
    }

    /// The same payload with a palette.
    package func painted(_ palette: [UInt8]) -> Packet {
        let copy = unsafe allocated(av_packet_clone(pointer), by: "av_packet_clone")
        unsafe copy.addSideData(AV_PKT_DATA_PALETTE, palette)
        return unsafe copied(copy)
    }

    /// Another payload with the same properties.
    ///
    /// - Parameter duration: in ticks of the stream; `nil` keeps the duration of this packet.
    package func carrying(_ bytes: [UInt8], lasting duration: Int64? = nil) -> Packet {
        let copy = unsafe UnsafeMutablePointer<AVPacket>.holding(bytes)
        let status = unsafe av_packet_copy_props(copy, pointer)
        precondition(status >= 0, "av_packet_copy_props: out of memory")
        if let duration { unsafe copy.pointee.duration = duration }
        return unsafe copied(copy)
    }

    /// Takes ownership of a copy of the C packet. The result has the other properties of this packet.
    private func copied(_ copy: UnsafeMutablePointer<AVPacket>) -> Packet {
        unsafe Packet(taking: copy, pictureOrder: pictureOrder, newPrivateData: newPrivateData, format: format)
    }

    /// Lends the C packet to `body`. C must not write to it.
    @unsafe func withPointer<Value>(_ body: (UnsafePointer<AVPacket>) -> Value) -> Value {
        unsafe body(UnsafePointer(pointer))
    }

    /// A copy of the payload.
    package var bytes: [UInt8] {
        unsafe [UInt8](UnsafeBufferPointer(start: pointer.pointee.data, count: byteCount))
    }

    package func withBytes<Value, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let buffer = unsafe UnsafeBufferPointer(start: pointer.pointee.data, count: byteCount)
        return try unsafe body(buffer.span)
    }
}

extension Packet {
    /// A container's flags for a packet (`AV_PKT_FLAG_…`).
    package struct Flags: OptionSet, Sendable {
        package let rawValue: CInt

        package init(rawValue: CInt) { self.rawValue = rawValue }

        package static let key = Flags(rawValue: AV_PKT_FLAG_KEY)
        package static let corrupt = Flags(rawValue: AV_PKT_FLAG_CORRUPT)
        package static let discarded = Flags(rawValue: AV_PKT_FLAG_DISCARD)
    }

    /// Makes a packet without a demuxer. `bytes` are copied; an omitted property is unknown.
    ///
    /// - Parameters:
    ///   - pts: in ticks of the stream, like `dts` and `duration`.
    ///   - position: the byte position in the file.
    ///   - trimmedSampleCount: see the property; 0 for none.
    package convenience init(
        _ bytes: [UInt8],
        stream: Int,
        pts: Int64? = nil,
        dts: Int64? = nil,
        duration: Int64 = 0,
        flags: Flags = [],
        position: Int64? = nil,
        pictureOrder: Int? = nil,
        newPrivateData: [UInt8]? = nil,
        palette: [UInt8]? = nil,
        trimmedSampleCount: UInt32 = 0,
        format: Int = 0
    ) {
        let pointer = unsafe UnsafeMutablePointer<AVPacket>.holding(bytes)
        unsafe pointer.pointee.stream_index = CInt(stream)
        unsafe pointer.pointee.pts = pts ?? CFFmpegNoTimestamp
        unsafe pointer.pointee.dts = dts ?? CFFmpegNoTimestamp
        unsafe pointer.pointee.duration = duration
        unsafe pointer.pointee.flags = flags.rawValue
        unsafe pointer.pointee.pos = position ?? -1
        if let palette { unsafe pointer.addSideData(AV_PKT_DATA_PALETTE, palette) }
        if trimmedSampleCount > 0 {
            let end = (0..<4).map { UInt8(truncatingIfNeeded: trimmedSampleCount >> (8 * $0)) }
            unsafe pointer.addSideData(AV_PKT_DATA_SKIP_SAMPLES, [0, 0, 0, 0] + end + [0, 0])
        }
        unsafe self.init(
            taking: pointer,
            pictureOrder: pictureOrder,
            newPrivateData: newPrivateData,
            format: format
        )
    }
}

/// A packet while C code is still filling it.
@safe struct PacketBuffer: ~Copyable {
    let pointer: UnsafeMutablePointer<AVPacket>

    init() {
        unsafe pointer = allocated(av_packet_alloc(), by: "av_packet_alloc")
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVPacket>? = unsafe pointer
        unsafe av_packet_free(&pointer)
    }

    /// Longer side data is considered invalid.
    private static let privateDataLimit = 1 << 20

    /// The side data that decoders need with a packet: palettes, samples to skip, changes of audio parameters, and the
    /// screen positions of SubRip cues.
    private static let keptSideData = [
        AV_PKT_DATA_PALETTE, AV_PKT_DATA_SKIP_SAMPLES, AV_PKT_DATA_PARAM_CHANGE, AV_PKT_DATA_SUBTITLE_POSITION,
    ]

    /// Removes the side data that decoders do not need, and returns the new codec private data if there is any.
    ///
    /// - Parameter keepsSkipCounts: whether to keep the number of samples that decoders must drop
    ///   (`AV_PKT_DATA_SKIP_SAMPLES`).
    func takePrivateData(keepingSkips keepsSkipCounts: Bool = true) -> [UInt8]? {
        guard unsafe pointer.pointee.side_data_elems > 0 else { return nil }
        let data = sideData(AV_PKT_DATA_NEW_EXTRADATA)
        let kept = Self.keptSideData.filter { keepsSkipCounts || $0 != AV_PKT_DATA_SKIP_SAMPLES }
            .compactMap { type in sideData(type).map { (type, $0) } }
        unsafe av_packet_free_side_data(pointer)
        for (type, bytes) in kept { unsafe pointer.addSideData(type, bytes) }
        return data
    }

    private func sideData(_ type: AVPacketSideDataType) -> [UInt8]? {
        var size = 0
        guard let data = unsafe av_packet_get_side_data(pointer, type, &size), size > 0, size <= Self.privateDataLimit
        else { return nil }
        return unsafe Array(UnsafeBufferPointer(start: data, count: size))
    }

    consuming func seal(pictureOrder: Int? = nil, newPrivateData: [UInt8]? = nil) -> Packet {
        let pointer = unsafe pointer
        discard self
        return unsafe Packet(taking: pointer, pictureOrder: pictureOrder, newPrivateData: newPrivateData)
    }
}

extension Int64 {
    /// Returns `nil` for `AV_NOPTS_VALUE`.
    var timestamp: Int64? { self == CFFmpegNoTimestamp ? nil : self }
}

extension UnsafeMutablePointer<AVPacket> {
    /// A new packet with a copy of `bytes` (`av_new_packet`). The caller frees it.
    fileprivate static func holding(_ bytes: [UInt8]) -> Self {
        let packet = unsafe allocated(av_packet_alloc(), by: "av_packet_alloc")
        let status = unsafe av_new_packet(packet, CInt(bytes.count))
        precondition(status >= 0, "av_new_packet: out of memory")
        if let data = unsafe packet.pointee.data { unsafe data.update(from: bytes, count: bytes.count) }
        return unsafe packet
    }

    /// Adds side data, replacing any of the same type (`av_packet_new_side_data`).
    func addSideData(_ type: AVPacketSideDataType, _ bytes: [UInt8]) {
        let data = unsafe av_packet_new_side_data(self, type, bytes.count)
        let target = unsafe allocated(data, by: "av_packet_new_side_data")
        unsafe target.update(from: bytes, count: bytes.count)
    }
}
