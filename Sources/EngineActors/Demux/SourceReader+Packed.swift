// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

extension SourceReader {
    private static let packedSearchPackets = 400
    private static let packedSearchPictures = 16
    private static let codec = CodecID(rawValue: "mpeg4")

    /// Marks MPEG-4 part 2 streams whose packets hold several pictures: only a decoder that takes them apart can play
    /// them. Reads on from where the demuxer stands.
    func notePackedPictures(in media: inout MediaDescription) throws(EngineError) {
        var missing: [Int: Int] = [:]
        for stream in media.streams where stream.kind == .video && stream.codec == Self.codec {
            missing[stream.index] = Self.packedSearchPictures
        }
        for info in context.streamInfos() where missing[info.index] != nil && MPEG4Visual.isPacked(info.extradata.span)
        {
            mark(info.index, in: &media)
            missing[info.index] = nil
        }
        guard !missing.isEmpty else { return }
        context.takePacketsAsTheyAre()
        for _ in 0..<Self.packedSearchPackets {
            guard !missing.isEmpty, let packet = try readPacket() else { return }
            guard let left = missing[packet.streamIndex] else { continue }
            let isPacked = packet.withBytes { MPEG4Visual.isPacked($0) }
            if isPacked { mark(packet.streamIndex, in: &media) }
            missing[packet.streamIndex] = isPacked || left <= 1 ? nil : left - 1
        }
    }

    private func mark(_ index: Int, in media: inout MediaDescription) {
        guard let position = media.streams.firstIndex(where: { $0.index == index }) else { return }
        media.streams[position].tags.append(Tag("packed_bitstream", "yes"))
        media.streams[position].route = .software("MPEG-4 part 2 with several pictures in a packet (packed bitstream)")
    }
}
