// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

extension DecodingFacts {
    /// The Dolby Vision metadata of an AV1 picture in Dolby Vision's own colour space, which the decoder does not
    /// return. It comes from the picture's packet, or from the last complete one before it, because metadata may refer
    /// to earlier metadata. `nil` for other videos.
    ///
    /// - Parameter packets: in decode order, up to the packet of the picture.
    func dolbyVisionMapping(of packets: [Packet]) -> DolbyVisionMapping? {
        guard stream.codec == .av1, video.hasOwnDolbyVisionColors else { return nil }
        for packet in packets.reversed() {
            do throws(PackagingError) {
                if let rpu = try RPU(temporalUnit: packet.bytes), let mapping = DolbyVisionMapping(rpu) {
                    return mapping
                }
            } catch {
                // Without metadata of its own, or with damaged metadata, a picture keeps the last complete one.
                continue
            }
        }
        return nil
    }
}

extension PictureRun {
    /// The packets up to the one whose picture is shown at `time`, in decode order.
    func packets(upTo time: Int64) -> [Packet] {
        guard let place = entries.firstIndex(where: { $0.time == time }) else { return [] }
        return entries[...place].map(\.packet)
    }
}
