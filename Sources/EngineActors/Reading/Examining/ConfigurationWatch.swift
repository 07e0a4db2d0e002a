// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Follows the configuration of the leading video from keyframe to keyframe, and reports where it changes.
struct ConfigurationWatch {
    /// At most this many changes of one source are reported. The parameter sets of later changes stay in band, where
    /// most decoders find them.
    static let limit = 256

    private let lead: PlayedTrack
    /// Whether packets have their payload. If not, only the container itself reveals changes.
    private let readsPayload: Bool
    private var current: ParameterSets
    private var hasStarted = false
    private var count = 0
    /// The number of keyframes whose changes were ignored, because the new parameter sets cannot be parsed or there
    /// were too many changes.
    private(set) var refused = 0

    init(lead: PlayedTrack, readsPayload: Bool) {
        self.lead = lead
        self.readsPayload = readsPayload
        current = ParameterSets(codec: lead.stream.codec, record: lead.track.configuration)
    }

    /// The codec private data that applies from this keyframe on; `nil` if nothing changes, or if the change is
    /// ignored. The first keyframe is never a change: the track was opened with its configuration.
    mutating func change(at packet: Packet) -> [UInt8]? {
        guard lead.kind == .video, lead.isServed, lead.videoBridge == nil else { return nil }
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
