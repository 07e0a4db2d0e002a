// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

extension FilmFacts {
    /// The metadata of a picture of AV1 in Dolby Vision's own colours, which its decoder does not hand on: that of its packet,
    /// or of the last one before it that is whole, since metadata may refer to what came before. `nil` for other videos.
    ///
    /// - Parameter packets: in decode order, up to that of the picture.
    func dolbyVisionMapping(of packets: [Packet]) -> DolbyVisionMapping? {
        guard stream.codec == .av1, video.hasOwnDolbyVisionColors else { return nil }
        for packet in packets.reversed() {
            let bytes = packet.withBytes { span in
                var bytes: [UInt8] = []
                bytes.reserveCapacity(span.count)
                for index in span.indices { bytes.append(span[index]) }
                return bytes
            }
            if let rpu = try? RPU(temporalUnit: bytes), let mapping = DolbyVisionMapping(rpu) { return mapping }
        }
        return nil
    }
}

extension PictureRun {
    /// Up to the one whose picture is shown at `time`, in decode order.
    func packets(upTo time: Int64) -> [Packet] {
        guard let place = entries.firstIndex(where: { $0.time == time }) else { return [] }
        return entries[...place].map(\.packet)
    }
}
