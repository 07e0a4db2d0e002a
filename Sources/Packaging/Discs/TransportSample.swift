// SPDX-License-Identifier: Apache-2.0

/// The program tables of a Blu-ray clip, and the first audio of some streams from the beginning of a part. In front of
/// a title, these packets make demuxers know streams that the title's first clip lacks.
package struct TransportSample: Hashable, Sendable {
    /// How much audio of each stream is taken, in ticks of 90 kHz, and as how many PES packets at most: enough to
    /// identify it, and to try a decoder.
    private static let duration: Int64 = 67_500
    private static let unitLimit = 64
    /// How far before the beginning of the part audio is taken, in ticks of 90 kHz. Frames that lie across the
    /// beginning may be presented.
    private static let margin: Int64 = 9_000

    /// Whole packets of 192 bytes. Empty if there are no `streams`.
    package let bytes: [UInt8]
    /// The PIDs of the wanted streams that were found.
    package let streams: Set<Int>
    /// Whether more bytes of the clip would add nothing.
    package let isComplete: Bool

    /// - Parameters:
    ///   - clip: the bytes of the clip, from the packet at which the part begins.
    ///   - audio: the PIDs of audio streams. They are found if the program and the clip's bytes have them.
    ///   - listed: the PIDs of other streams. They are found if the program has them.
    ///   - entry: the time at which the part begins, in ticks of 90 kHz.
    package init(_ clip: [UInt8], audio: Set<Int>, listed: Set<Int>, from entry: Int64) {
        let size = TransportUnit.packetByteCount
        var tables = Tables()
        var units: [Int: Units] = [:]
        for start in stride(from: 0, through: clip.count - size, by: size) {
            guard let packet = TransportPacket(clip, at: start + size - TransportPacket.byteCount) else { break }
            if audio.contains(packet.stream) {
                units[packet.stream, default: Units()].add(packet, at: start, from: entry)
            } else {
                tables.add(packet, clip[start..<start + size], at: start)
            }
            if tables.isComplete, tables.streams.intersection(audio).allSatisfy({ units[$0]?.isComplete ?? false }) {
                break
            }
        }
        let present = tables.streams.intersection(audio)
        isComplete = tables.isComplete && present.allSatisfy { units[$0]?.isComplete ?? false }
        let found = present.filter { !(units[$0]?.places.isEmpty ?? true) }
        streams = found.union(tables.streams.intersection(listed))
        let places = streams.isEmpty ? [] : tables.places + found.flatMap { units[$0]?.places ?? [] }.sorted()
        bytes = places.flatMap { clip[$0..<$0 + size] }
    }

    /// The program tables of a clip, which has one program.
    private struct Tables {
        private var sections: [Int: PacketSections] = [:]
        private var maps: Set<Int> = []
        private var program: ProgramMap?
        /// Where their packets begin.
        private(set) var places: [Int] = []

        var isComplete: Bool { program != nil }
        var streams: Set<Int> { Set(program?.streams.map(\.number) ?? []) }

        mutating func add(_ packet: TransportPacket, _ bytes: ArraySlice<UInt8>, at place: Int) {
            guard program == nil, packet.payload != .none,
                maps.isEmpty ? packet.stream == 0 : maps.contains(packet.stream)
            else { return }
            let begins = packet.payload != .rest
            if !begins, sections[packet.stream] == nil { return }
            places.append(place)
            let payload = bytes.suffix(TransportPacket.byteCount).dropFirst(packet.payloadOffset)
            for section in sections[packet.stream, default: PacketSections()].add(payload, begins: begins) {
                maps.formUnion(ProgramMap.maps(in: section)?.keys.map { $0 } ?? [])
                program = program ?? ProgramMap(section)
            }
        }
    }

    /// The first PES packets of a stream.
    private struct Units {
        /// Where the packets of whole units begin.
        private(set) var places: [Int] = []
        private(set) var isComplete = false
        /// Where the packets of the latest unit begin. That unit may not be whole.
        private var latest: [Int] = []
        private var count = 0

        mutating func add(_ packet: TransportPacket, at place: Int, from entry: Int64) {
            guard !isComplete else { return }
            guard case .unit(let time) = packet.payload else {
                if packet.payload == .rest, !latest.isEmpty { latest.append(place) }
                return
            }
            places += latest
            if !latest.isEmpty { count += 1 }
            latest = []
            let distance = time.map { TitleTimeline.distance(from: entry, to: $0) }
            if places.isEmpty, distance.map({ $0 < -TransportSample.margin }) ?? true { return }
            isComplete = count >= unitLimit || distance.map { $0 >= duration } ?? false
            if !isComplete { latest = [place] }
        }
    }
}
