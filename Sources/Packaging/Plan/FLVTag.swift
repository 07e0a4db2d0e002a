// SPDX-License-Identifier: Apache-2.0

/// The header of a tag of an FLV file, and what it says about the video frame or audio in it (Adobe Flash Video File
/// Format 10.1, annex E.4).
struct FLVTag {
    /// The length of the tag header and of the first two bytes of the data.
    static let headByteCount = 13
    /// The length of the tag header, without the data.
    static let headerByteCount = 11
    /// The length of the PreviousTagSize field after each tag.
    static let trailerByteCount = 4

    private static let audio: UInt8 = 8
    private static let video: UInt8 = 9
    /// SoundFormat of AAC.
    private static let aac: UInt8 = 10
    /// Codecs of which the second byte of the data states whether it is a frame: H.264, and those that other muxers
    /// write in the same way (MPEG-4, HEVC, AV1).
    private static let codecsWithPacketType: Set<UInt8> = [7, 9, 12, 13]

    let position: Int64
    /// The length of the data.
    let dataByteCount: Int
    /// In milliseconds, modulo 2³².
    let timestamp: UInt32
    /// Whether the tag contains a video frame. Sequence headers and commands are not frames.
    let isFrame: Bool
    /// Whether this frame is a keyframe.
    let isKey: Bool
    /// Whether the timestamp is that of media: a video frame, or audio. Other tags may have arbitrary timestamps.
    let isMedia: Bool

    /// Where the next tag begins.
    var end: Int64 { position + Int64(Self.headerByteCount + dataByteCount + Self.trailerByteCount) }

    /// The value of the PreviousTagSize field after the tag.
    var size: UInt32 { UInt32(Self.headerByteCount + dataByteCount) }

    /// - Parameters:
    ///   - head: the first `headByteCount` bytes of the tag.
    ///   - position: the file offset of the tag.
    init?(_ head: Span<UInt8>, at position: Int64) {
        guard head.count >= Self.headByteCount, Self.mayBegin(head, 0) else { return nil }
        self.position = position
        dataByteCount = Int(head.bigEndian32(at: 0) & 0xFF_FFFF)
        timestamp = UInt32(head[7]) << 24 | head.bigEndian32(at: 4) >> 8
        let isVideo = head[0] & 0x1F == Self.video
        (isFrame, isKey) = isVideo ? Self.frame(head[11], head[12], of: dataByteCount) : (false, false)
        // The second byte of AAC is 0 in a sequence header.
        let isAudio = head[0] & 0x1F == Self.audio && dataByteCount > 2 && (head[11] >> 4 != Self.aac || head[12] == 1)
        isMedia = isFrame || isAudio
    }

    /// Whether a tag header may begin at a place in bytes that contain all of it: its type is audio, video or script
    /// data, and its reserved bits and its StreamID are 0.
    static func mayBegin(_ bytes: Span<UInt8>, _ place: Int) -> Bool {
        switch bytes[place] & 0xDF {
        case audio, video, 18: bytes[place + 8] == 0 && bytes[place + 9] == 0 && bytes[place + 10] == 0
        default: false
        }
    }

    /// Reads the first two bytes of the data of a video tag. Only FrameType 1 is a keyframe: libavformat does not count
    /// a "generated" one (4). In Enhanced RTMP, the first bit is set and the first byte contains the type of the
    /// packet.
    private static func frame(_ first: UInt8, _ second: UInt8, of byteCount: Int) -> (isFrame: Bool, isKey: Bool) {
        let type = first >> 4 & 7
        guard type != 5 else { return (false, false) }
        let hasFrame: Bool
        if first & 0x80 != 0 {
            // CodedFrames and CodedFramesX. The name of the codec follows.
            hasFrame = byteCount > 5 && (first & 0x0F == 1 || first & 0x0F == 3)
        } else if codecsWithPacketType.contains(first & 0x0F) {
            // The packet type and the composition time follow.
            hasFrame = byteCount > 5 && second == 1
        } else {
            hasFrame = byteCount > 1
        }
        return (hasFrame, hasFrame && type == 1)
    }
}
