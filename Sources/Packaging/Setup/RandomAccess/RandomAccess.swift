// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Whether decoding can start at a packet, according to its bitstream.
package enum RandomAccess {
    /// - Parameters:
    ///   - transform: the track's; determines the framing of the packet.
    ///   - prefix: the packet's first bytes, as in the container; usually a few hundred are enough.
    /// - Returns: `nil` if the prefix is too short to decide, or is not valid for the codec. True for other codecs.
    ///
    /// An H.264 picture is a random access point if it is IDR, carries a recovery point SEI message, or starts with an
    /// I slice. Its bytes do not reveal whether pictures after an I picture refer to pictures before it.
    package static func isRandomAccessPoint(
        codec: CodecID,
        transform: SampleTransform,
        prefix: Span<UInt8>
    ) -> Bool? {
        switch codec {
        case .h264: h264(transform, prefix)
        case .hevc: hevc(transform, prefix)
        case .av1: av1(prefix)
        case .vp9: VP9FrameHeader.isKeyFrame(prefix)
        default: true
        }
    }

    /// Whether pictures are complete only some time after decoding starts at the packet, because the video is refreshed
    /// gradually (recovery_frame_cnt, ITU-T H.264 D.2.8).
    package static func isGradual(codec: CodecID, transform: SampleTransform, prefix: Span<UInt8>) -> Bool {
        codec == .h264 && isGradualH264(transform, prefix)
    }

    /// The same for a stream without a track: its codec private data determines the framing of the packet.
    package static func isGradual(codec: CodecID, extradata: [UInt8], packet: Span<UInt8>) -> Bool {
        guard codec == .h264 else { return false }
        return isGradualH264(.nalUnits(NALFraming(codec: codec, extradata: extradata)), packet)
    }

    /// The NAL units in `prefix`; the last one may be truncated.
    static func leadingUnits(_ transform: SampleTransform, _ prefix: Span<UInt8>) -> [Range<Int>] {
        guard let framing = transform.framing else { return [] }
        switch framing {
        case .annexB:
            return framing.unitsToSearch(in: prefix) ?? []
        case .lengthPrefixed(let size):
            var ranges: [Range<Int>] = []
            var index = 0
            while let length = LengthPrefixed.length(in: prefix, at: index, size: size) {
                let begin = index + size
                let end = length > prefix.count - begin ? prefix.count : begin + length
                if begin < end { ranges.append(begin..<end) }
                index = end
                if index >= prefix.count { break }
            }
            return ranges
        }
    }
}
