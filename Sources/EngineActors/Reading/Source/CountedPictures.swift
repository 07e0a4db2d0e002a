// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Gives the pictures of a program stream the times that it leaves out: only the first picture that begins in a PES
/// packet has one (ISO/IEC 13818-1, 2.4.3.7). libavformat gives times to the others if the codec is MPEG-2, but not to
/// pictures of H.264 and HEVC.
///
/// Every picture gets the time of its place in decoding order as its DTS, and no PTS: the first picture of a group is
/// shown at its own DTS, and the others at the DTS of the picture at the same place of the output order. Pictures
/// without a time last as long as those before them.
struct CountedPictures {
    /// The number of packets from the start that decide whether pictures are counted.
    static let headCount = 64
    /// The frame length of a video that reveals none.
    private static let usualRate = TimeBase(1, 25)

    private let stream: Int
    /// In ticks of the stream.
    private let length: Int64
    /// How long after it is decoded the first picture of a group is shown.
    private let delay: Int64
    /// The time of the next picture, if known.
    private var next: Int64?
    /// The keyframe to which reading has jumped.
    private var entrance: Keyframe?
    /// Whether the next packet may be the remainder of a picture whose beginning was not read. libavformat gives it the
    /// time of the picture after it.
    private var isCut = false

    /// Reads the first packets of the video of a program stream. Afterwards the read position is the start of the source.
    /// Returns `nil` for any other source.
    init?(in reader: SourceReader) throws(EngineError) {
        let infos = reader.streamInfos()
        guard reader.container.isMPEGPS, reader.title == nil,
            let video = infos.first(where: { $0.kind == .video }), video.codec == .h264 || video.codec == .hevc
        else { return nil }
        let head = try reader.firstPackets(of: video.index, count: Self.headCount)
        reader.keep(only: Set(infos.map(\.index)))
        self.init(of: video, head: head)
    }

    /// Returns `nil` if all pictures state when they are shown, or none does.
    ///
    /// - Parameter head: the first packets of the stream.
    init?(of video: StreamInfo, head: [Packet]) {
        let stated = head.indices.filter { head[$0].dts != nil && head[$0].pts != nil }
        guard let first = stated.first, let last = stated.last, head.contains(where: { $0.pts == nil }) else {
            return nil
        }
        stream = video.index
        let frame = Self.usualRate.rescale(1, to: video.timeBase)
        let duration = head.lazy.map(\.duration).first { $0 > 0 } ?? frame
        let passed = (head[last].dts ?? 0) &- (head[first].dts ?? 0)
        length = max(1, last > first && passed > 0 ? passed / Int64(last - first) : duration)
        let group = head.first { $0.isKey && $0.pts != nil && $0.dts != nil } ?? head[first]
        delay = max(0, (group.pts ?? 0) &- (group.dts ?? 0))
    }

    /// Call this when the read position jumps.
    ///
    /// - Parameter position: the byte at which reading continues; `nil` if it is not known.
    mutating func enter(at position: Int64?) {
        (next, entrance) = (nil, nil)
        isCut = position != 0
    }

    /// Call this when the read position has jumped to a keyframe.
    mutating func enter(at keyframe: Keyframe) { entrance = keyframe }

    /// The packet with its time. Packets of other streams stay as they are.
    mutating func timed(_ packet: Packet) -> Packet {
        guard packet.streamIndex == stream else { return packet }
        let time = time(of: packet)
        isCut = false
        next = time.map { $0 &+ length } ?? next
        return packet.listed(
            stream: stream,
            pts: nil,
            dts: time,
            duration: length,
            position: packet.position,
            newPrivateData: packet.newPrivateData
        )
    }

    private mutating func time(of packet: Packet) -> Int64? {
        if packet.isKey, let start = entrance, packet.position == start.position {
            entrance = nil
            return start.time
        }
        if isCut, !packet.isKey { return nil }
        guard packet.pts != nil, let decoded = packet.dts else { return next }
        return decoded &+ delay
    }
}
