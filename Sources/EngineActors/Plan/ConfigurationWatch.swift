// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Follows the configuration of the leading video from keyframe to keyframe, and says where it changes.
struct ConfigurationWatch {
    /// Changes of one source beyond which none is told any more: the sets stay in band, where most decoders find them.
    static let limit = 256

    private let lead: ServedTrack
    /// Whether packets have their bytes. Where they have not, only the container itself tells of changes.
    private let readsPayload: Bool
    private var current: ParameterSets
    private var hasStarted = false
    private var count = 0
    /// Changes that were passed over, because the new sets cannot be read or there were too many.
    private(set) var refused = 0

    init(lead: ServedTrack, readsPayload: Bool) {
        self.lead = lead
        self.readsPayload = readsPayload
        current = ParameterSets(codec: lead.stream.codec, record: lead.track.configuration)
    }

    /// Codec private data from this keyframe on; `nil` when nothing changes. The first keyframe is what the track was
    /// opened with.
    mutating func change(at packet: Packet) -> [UInt8]? {
        guard lead.kind == .video, lead.isServed else { return nil }
        let found = sets(in: packet)
        guard !found.isEmpty else { return nil }
        let next = current.updated(with: found)
        defer { hasStarted = true }
        guard next != current else { return nil }
        guard hasStarted else {
            current = next
            return nil
        }
        let data = packet.newPrivateData ?? next.privateData(codec: lead.stream.codec)
        guard count < Self.limit, lead.canChange(to: data) else {
            refused += 1
            return nil
        }
        count += 1
        current = next
        return data
    }

    private func sets(in packet: Packet) -> ParameterSets {
        if let data = packet.newPrivateData { return ParameterSets(codec: lead.stream.codec, record: data) }
        guard readsPayload else { return ParameterSets() }
        return packet.withBytes { bytes in
            ParameterSets(codec: lead.stream.codec, transform: lead.transform, packet: bytes)
        }
    }
}
