// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Takes the headers of the later links of chained Ogg out of the audio, among which libavformat returns them if it reads
/// across the start of a link, and gives the audio of a link what its headers state.
///
/// Packets of Vorbis whose headers are not those of the first link carry their own (`Packet.newPrivateData`), and have
/// times in ticks of the first link.
struct LinkHeaders {
    private struct Vorbis {
        let first: VorbisHeaders
        /// The headers of the link, if a decoder with those of the first one does not decode its packets.
        var own: VorbisHeaders?
        /// The header packets of a link that has just begun.
        var packets: [[UInt8]] = []

        mutating func begin(_ link: VorbisHeaders?) {
            own = link.flatMap { first.decode(packetsOf: $0) ? nil : $0 }
            packets = []
        }

        mutating func note(header: [UInt8]) {
            packets = (header.first == 1 ? [] : packets.suffix(2)) + [header]
            if let link = VorbisHeaders(packets) { begin(link) }
        }

        func audio(_ packet: Packet) -> Packet {
            guard let own else { return packet }
            let (base, ticks) = (own.timeBase, first.timeBase)
            return packet.listed(
                stream: packet.streamIndex,
                pts: packet.pts.map { base.rescale($0, to: ticks) },
                dts: packet.dts.map { base.rescale($0, to: ticks) },
                duration: base.rescale(packet.duration, to: ticks),
                position: packet.position,
                newPrivateData: own.privateData
            )
        }
    }

    private var vorbis: [Int: Vorbis] = [:]
    private let flac: Set<Int>

    /// - Parameters:
    ///   - streams: the streams of the link in which reading begins; empty for any other container.
    ///   - first: the streams of the first link.
    init(streams: [StreamInfo], first: [StreamInfo]) {
        flac = Set(streams.filter { $0.codec == .flac }.map(\.index))
        for info in streams where info.codec == .vorbis {
            let opened = first.first { $0.index == info.index }?.extradata
            guard let headers = opened.flatMap({ VorbisHeaders(privateData: $0) }) else { continue }
            vorbis[info.index] = Vorbis(first: headers)
            vorbis[info.index]?.begin(VorbisHeaders(privateData: info.extradata))
        }
    }

    /// The packet as audio; `nil` for a header.
    mutating func audio(_ packet: Packet) -> Packet? {
        if flac.contains(packet.streamIndex) {
            return packet.withBytes { FLACFrame.sampleCount($0) } == nil ? nil : packet
        }
        guard let stream = vorbis[packet.streamIndex] else { return packet }
        // The lowest bit of the first byte distinguishes headers from audio (Vorbis I specification, §4.2.1 and §4.3.1).
        guard packet.withBytes({ !$0.isEmpty && $0[0] & 1 == 1 }) else { return stream.audio(packet) }
        vorbis[packet.streamIndex]?.note(header: packet.bytes)
        return nil
    }
}
