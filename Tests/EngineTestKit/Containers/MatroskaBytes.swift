// SPDX-License-Identifier: Apache-2.0

package import Bindings

/// A Matroska file, written byte by byte (RFC 9559). Stream 0 is VP9 video; all other streams are AC-3 audio. Times are
/// in milliseconds.
package struct MatroskaBytes: Sendable {
    /// A cluster, which begins with a keyframe of the video.
    package struct Cluster: Hashable, Sendable {
        /// The presentation time of the keyframe.
        package let time: Int64
        /// Where the cluster begins in the file.
        package let position: Int64
        package let byteCount: Int
    }

    package let bytes: [UInt8]
    package let clusters: [Cluster]

    /// - Parameters:
    ///   - packets: in file order. The first one is a keyframe of stream 0; each such keyframe begins a cluster.
    ///   - hasCues: whether an index of the clusters precedes them.
    package init(_ packets: [Packet], hasCues: Bool = false) {
        let count = (packets.map(\.streamIndex).max() ?? 0) + 1
        let head = Self.element("15 49 A9 66", []) + Self.element("16 54 AE 6B", (0..<count).flatMap(Self.track))
        let groups = Self.groups(of: packets)
        let bodies = groups.map { Self.cluster($0, at: $0[0].pts ?? 0) }
        let times = groups.map { $0[0].pts ?? 0 }
        // The length of the index does not depend on the positions in it.
        let indexLength = hasCues ? Self.cues(Array(zip(times, times))).count : 0
        var offset = Int64(head.count + indexLength)
        let offsets = bodies.map { body in
            defer { offset += Int64(body.count) }
            return offset
        }
        let index = hasCues ? Self.cues(Array(zip(times, offsets))) : []
        let start = Self.element("1A 45 DF A3", Self.element("42 82", Array("matroska".utf8)))
        let segment = Self.element("18 53 80 67", head + index + bodies.flatMap(\.self))
        bytes = start + segment
        // The ID and the length of the segment take eight bytes.
        clusters = zip(zip(times, offsets), bodies).map { place, body in
            Cluster(time: place.0, position: place.1 + Int64(start.count) + 8, byteCount: body.count)
        }
    }

    private static func groups(of packets: [Packet]) -> [[Packet]] {
        packets.reduce(into: []) { groups, packet in
            if packet.streamIndex == 0, packet.isKey { groups.append([]) }
            groups[groups.count - 1].append(packet)
        }
    }

    private static func track(_ stream: Int) -> [UInt8] {
        let number = UInt8(stream + 1)
        let codec = element("86", Array((stream == 0 ? "V_VP9" : "A_AC3").utf8))
        let properties = stream == 0 ? element("E0", element("B0", [64]) + element("BA", [64])) : element("E1", [])
        let kind = element("83", [stream == 0 ? 1 : 2])
        return element("AE", element("D7", [number]) + element("73 C5", [number]) + kind + codec + properties)
    }

    private static func cluster(_ packets: [Packet], at time: Int64) -> [UInt8] {
        let blocks = packets.flatMap { packet in
            let offset = big((packet.pts ?? 0) - time, 2)
            let payload = packet.withBytes { span in span.indices.map { span[$0] } }
            return element("A3", [0x80 | UInt8(packet.streamIndex + 1)] + offset + [packet.isKey ? 0x80 : 0] + payload)
        }
        return element("1F 43 B6 75", element("E7", big(time, 8)) + blocks)
    }

    /// - Parameter places: for each cluster, its time and its offset in the segment.
    private static func cues(_ places: [(Int64, Int64)]) -> [UInt8] {
        let points = places.flatMap { time, position in
            let positions = element("B7", element("F7", [1]) + element("F1", big(position, 8)))
            return element("BB", element("B3", big(time, 8)) + positions)
        }
        return element("1C 53 BB 6B", points)
    }

    /// An element whose length takes four bytes.
    private static func element(_ id: String, _ content: [UInt8]) -> [UInt8] {
        let id = id.split(separator: " ").compactMap { UInt8($0, radix: 16) }
        return id + big(Int64(content.count) | 0x1000_0000, 4) + content
    }

    private static func big(_ value: Int64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }
}
