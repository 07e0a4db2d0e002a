// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

// Object-based audio: only the packets reveal it.
extension SourceReader {
    private static let objectPacketLimit = 64
    /// How many bytes are read just to find objects.
    private static let objectByteLimit = 2 << 20

    /// Whether reading further could still reveal objects in a stream.
    ///
    /// - Parameters:
    ///   - start: how many bytes had been read when everything else was known. `nil` while something else is unknown.
    func mayFindObjects(
        in packets: [Int: [Packet]],
        of streams: [Int],
        readingSince start: Int?,
        _ bytes: Int
    ) -> Bool {
        guard let start, bytes - start < Self.objectByteLimit else { return false }
        let infos = context.streamInfos()
        return streams.contains { stream in
            let seen = packets[stream] ?? []
            guard infos[stream].codec == .eac3, seen.count < Self.objectPacketLimit else { return false }
            return seen.last.map { Self.objects(in: [$0], of: .eac3) == nil } ?? true
        }
    }

    /// Notes in the description the objects that the packets carry, and returns notices about them.
    func findObjects(in packets: [Int: [Packet]], _ media: inout MediaDescription) -> [Notice] {
        var notices: [Notice] = []
        for index in media.streams.indices where ObjectAudio.carriers.contains(media.streams[index].codec) {
            guard let objects = Self.objects(in: packets[index] ?? [], of: media.streams[index].codec) else { continue }
            media.streams[index].audio?.objects = objects
            notices.append(Self.notice(of: objects, in: media.streams[index]))
        }
        return notices
    }

    /// The same for a source that is only described. Reads its first packets.
    func findObjects(_ media: inout MediaDescription) throws(EngineError) {
        var wanted = Set(
            media.streams.filter { ObjectAudio.carriers.contains($0.codec) }.map(\.index)
        )
        guard !wanted.isEmpty else { return }
        context.keep(only: wanted)
        var packets: [Int: [Packet]] = [:]
        var bytes = 0
        while !wanted.isEmpty, bytes < Self.objectByteLimit, let packet = try readPacket() {
            bytes += packet.byteCount
            packets[packet.streamIndex, default: []].append(packet)
            if packets[packet.streamIndex, default: []].count >= Self.objectPacketLimit {
                wanted.remove(packet.streamIndex)
            }
        }
        _ = findObjects(in: packets, &media)
    }

    private static func objects(in packets: [Packet], of codec: CodecID) -> ObjectAudio? {
        let bytes = packets.prefix(objectPacketLimit).map { packet in
            packet.withBytes { span in (0..<span.count).map { span[$0] } }
        }
        return ObjectAudio.found(in: bytes, of: codec)
    }

    private static func notice(of objects: ObjectAudio, in stream: StreamDescription) -> Notice {
        let name =
            switch objects {
            case .dolbyAtmos(let complexity?): "Dolby Atmos of complexity \(complexity)"
            case .dolbyAtmos: "Dolby Atmos"
            case .dtsX: "DTS:X"
            }
        let what = "\(stream.codec.rawValue) stream \(stream.index) carries \(name)"
        switch stream.route {
        case .remux: return Notice(.info, "audio.objects", "\(what); it is copied unchanged")
        case .bridge:
            return Notice(.warning, "audio.objects_lost", "\(what); re-encoding keeps only its channels")
        case .software, .none: return Notice(.warning, "audio.objects_lost", "\(what); the stream is not served")
        }
    }
}
