// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// The packets at the start of a source: as many as the decisions about the played streams need, within limits. Pure:
/// the examiner feeds it.
struct SourceHead {
    private static let byteLimit = 48 << 20
    private static let packetLimit = 6000
    /// The number of packets that a bridge is tried on: enough for a decoder to find a random access point, and for
    /// times to reveal a lattice (`SamplePlacement`).
    private static let bridgedPackets = 64
    private static let videoPackets = 24
    private static let remuxedPackets = 4

    /// By stream index; video starts at its first keyframe.
    private(set) var packets: [Int: [Packet]] = [:]
    /// Everything that was read, in file order.
    private(set) var all: [Packet] = []
    private let choice: StreamChoice
    private var missing: Set<Int>
    private var byteCount = 0
    /// The number of bytes that had been read when the last missing stream had enough packets.
    private var sufficient: Int?
    /// As in `init`.
    private let patience: Int64?

    /// - Parameter patience: how much of the leading stream of a live stream is read while another stream is missing,
    ///   in ticks of the leading stream. `nil`: as much as the limits allow.
    init(of choice: StreamChoice, patience: Int64? = nil) {
        self.choice = choice
        self.patience = patience
        missing = choice.read
    }

    /// Whether more packets may reveal more. Objects may start after a few packets, so reading continues a little
    /// further to find them.
    var wantsMore: Bool {
        guard byteCount < Self.byteLimit, all.count < Self.packetLimit else { return false }
        guard missing.isEmpty else { return !hasGivenUp }
        guard let sufficient, byteCount - sufficient < ObjectSearch.byteLimit else { return false }
        return choice.played.contains { stream in
            choice.codec(of: stream) == .eac3 && ObjectSearch.mayFind(after: packets[stream] ?? [])
        }
    }

    /// Whether enough of the leading stream has been read to give up the missing streams.
    private var hasGivenUp: Bool {
        guard let patience, !missing.contains(choice.lead), let lead = packets[choice.lead],
            let first = lead.first?.dts, let last = lead.last?.dts
        else { return false }
        return last &- first >= patience
    }

    mutating func add(_ packet: Packet) {
        byteCount += packet.byteCount
        all.append(packet)
        let stream = packet.streamIndex
        let isVideo = stream == choice.video
        if isVideo, packets[stream] == nil, !packet.isKey { return }
        packets[stream, default: []].append(packet)
        let wanted =
            isVideo ? Self.videoPackets : choice.isBridged(stream) ? Self.bridgedPackets : Self.remuxedPackets
        if packets[stream, default: []].count >= wanted { missing.remove(stream) }
        if missing.isEmpty, sufficient == nil { sufficient = byteCount }
    }
}

/// Finds object-based audio, which only packets reveal.
enum ObjectSearch {
    static let packetLimit = 64
    /// The number of bytes that are read just to find objects.
    static let byteLimit = 2 << 20

    /// Whether objects may first appear in the packets of an E-AC-3 stream after `packets`.
    static func mayFind(after packets: [Packet]) -> Bool {
        guard packets.count < packetLimit else { return false }
        return packets.last.map { objects(in: [$0], of: .eac3) == nil } ?? true
    }

    /// The audio objects in the packets, by the stream's position in the description.
    static func objects(in packets: [Int: [Packet]], of media: MediaDescription) -> [Int: ObjectAudio] {
        var found: [Int: ObjectAudio] = [:]
        for index in media.streams.indices where ObjectAudio.carriers.contains(media.streams[index].codec) {
            found[index] = objects(in: packets[index] ?? [], of: media.streams[index].codec)
        }
        return found
    }

    private static func objects(in packets: [Packet], of codec: CodecID) -> ObjectAudio? {
        ObjectAudio.found(in: packets.prefix(packetLimit).map(\.bytes), of: codec)
    }

    /// - Parameter stream: with its final route.
    static func notice(of objects: ObjectAudio, in stream: StreamDescription) -> Notice {
        let name =
            switch objects {
            case .dolbyAtmos(let complexity?): "Dolby Atmos of complexity \(complexity)"
            case .dolbyAtmos: "Dolby Atmos"
            case .dtsX: "DTS:X"
            }
        let what = "\(stream.codec.rawValue) stream \(stream.index) carries \(name)"
        switch stream.route {
        case .remux: return Notice(.info, "audio.objects", "\(what); it is remuxed")
        case .bridge:
            return Notice(.warning, "audio.objects_lost", "\(what); re-encoding keeps only its channels")
        case .software, .none: return Notice(.warning, "audio.objects_lost", "\(what); the stream is not served")
        }
    }
}
