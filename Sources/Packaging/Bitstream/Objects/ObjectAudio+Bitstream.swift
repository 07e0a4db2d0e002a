// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension ObjectAudio {
    /// Codecs that may carry objects.
    package static let carriers: Set<CodecID> = [.eac3, .truehd, .dts]

    /// Finds audio objects in the first packets of a stream. Nothing is guessed: objects are reported only if a packet
    /// signals them.
    ///
    /// - Parameters:
    ///   - packets: any number of complete packets.
    ///   - codec: the stream's codec.
    package static func found(in packets: [[UInt8]], of codec: CodecID) -> ObjectAudio? {
        switch codec {
        case .eac3:
            return packets.lazy.compactMap(complexity(ofEAC3:)).first.map { .dolbyAtmos(complexity: $0) }
        case .truehd:
            let hasObjects = packets.contains { TrueHDMajorSync($0)?.hasObjects == true }
            return hasObjects ? .dolbyAtmos(complexity: nil) : nil
        case .dts:
            let frames = packets.compactMap(DTSLosslessFrame.init)
            // One sync word within compressed data may be a coincidence; two are not. A single frame has to suffice
            // if there is no other.
            let count = frames.count { $0.hasObjects }
            return count > 1 || (count == 1 && frames.count == 1) ? .dtsX : nil
        default: return nil
        }
    }

    /// `nil` if the packet codes no objects or is damaged; `found` then examines the next packet.
    private static func complexity(ofEAC3 packet: [UInt8]) -> Int? {
        do throws(PackagingError) { return try EAC3AccessUnit(packet).objectComplexity } catch { return nil }
    }
}
