// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

extension DecodingFacts {
    /// The Dolby Vision metadata of an AV1 picture in Dolby Vision's own colour space, which the decoder does not
    /// return. It is read from the picture's packet, or from the last packet before it with complete metadata, because
    /// metadata may refer to earlier metadata. `nil` for other videos, and if no packet has complete metadata.
    ///
    /// - Parameter packets: the packets in decoding order, up to that of the picture.
    func dolbyVisionMapping(of packets: [Packet]) -> DolbyVisionMapping? {
        guard stream.codec == .av1, video.hasOwnDolbyVisionColors else { return nil }
        for packet in packets.reversed() {
            do throws(PackagingError) {
                if let rpu = try RPU(temporalUnit: packet.bytes), let mapping = DolbyVisionMapping(rpu) {
                    return mapping
                }
            } catch {
                // A picture without complete metadata of its own uses the last complete metadata before it.
                continue
            }
        }
        return nil
    }
}

extension PictureRun {
    /// The packets in decoding order, up to the one whose picture is shown at `time`.
    func packets(upTo time: Int64) -> [Packet] {
        guard let place = entries.firstIndex(where: { $0.time == time }) else { return [] }
        return entries[...place].map(\.packet)
    }
}
