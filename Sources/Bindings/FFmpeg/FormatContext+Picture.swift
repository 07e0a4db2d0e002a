// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

extension FormatContext {
    /// The bytes of a file within the container: an attached picture (`AVStream.attached_pic`), or an attachment such
    /// as a font, which libavformat stores as extradata. `nil` for any other stream.
    package func embeddedFile(ofStream index: Int) -> [UInt8]? {
        guard (0..<streamCount).contains(index), let stream = unsafe pointer.pointee.streams[index],
            let parameters = unsafe stream.pointee.codecpar
        else { return nil }
        let isAttached = unsafe stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
        let isAttachment = unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_ATTACHMENT
        guard isAttached || isAttachment else { return nil }
        let start = unsafe isAttached ? stream.pointee.attached_pic.data : parameters.pointee.extradata
        let count = unsafe isAttached ? stream.pointee.attached_pic.size : parameters.pointee.extradata_size
        guard count > 0, let start = unsafe start else { return nil }
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// An attached picture (`AVStream.attached_pic`) as a packet to decode. `nil` for any other stream.
    package func attachedPicture(ofStream index: Int) -> Packet? {
        guard (0..<streamCount).contains(index), let stream = unsafe pointer.pointee.streams[index],
            unsafe stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
        else { return nil }
        let buffer = PacketBuffer()
        guard unsafe av_packet_ref(buffer.pointer, &stream.pointee.attached_pic) >= 0 else { return nil }
        return buffer.seal()
    }
}
