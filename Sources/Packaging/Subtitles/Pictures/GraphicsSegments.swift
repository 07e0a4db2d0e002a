// SPDX-License-Identifier: Apache-2.0

/// Repairs packets of HDMV presentation graphics: inserts a missing end segment into a display set once everything that
/// the set shows is present.
///
/// A segment is a type, a two-byte length and a payload. A display set extends from a composition (type 0x16) to the
/// next end (type 0x80).
package struct GraphicsSegments: Sendable {
    private enum Kind {
        static let object: UInt8 = 0x15
        static let composition: UInt8 = 0x16
        static let end: UInt8 = 0x80
    }

    /// A display set that has started and not ended.
    private struct OpenSet {
        /// The objects that the set shows.
        var shown: Set<Int>
        /// The number of objects received since the set started.
        var objects = 0
    }

    private static let end: [UInt8] = [Kind.end, 0, 0]
    private static let idLimit = 4096

    private var open: OpenSet?
    /// The objects of the epoch that are complete.
    private var complete: Set<Int> = []
    /// The object being received, and the number of bytes still missing.
    private var partial: (id: Int, missing: Int)?

    package init() {}

    /// The packets to send to the decoder instead of `packet`, one call each. `nil`: `packet` unchanged.
    ///
    /// - Parameter packet: consecutive segments, each with or without the ten-byte header (`PG` and two timestamps) of
    ///   `.sup` files.
    package mutating func repaired(_ packet: Span<UInt8>) -> [[UInt8]]? {
        var pieces: [[UInt8]] = []
        var piece: [UInt8] = []
        var isChanged = false
        var index = 0
        while index < packet.count {
            if packet.count - index > 12, packet[index] == 0x50, packet[index + 1] == 0x47 {
                index += 10
                isChanged = true
            }
            guard packet.count - index >= 3 else { break }
            let kind = packet[index]
            let length = Int(packet[index + 1]) << 8 | Int(packet[index + 2])
            let payload = (index + 3)..<min(packet.count, index + 3 + length)
            if kind == Kind.composition, canEnd {
                pieces.append(piece + Self.end)
                piece = []
                isChanged = true
            }
            note(kind, packet, payload, isWhole: payload.count == length)
            for place in index..<payload.upperBound { piece.append(packet[place]) }
            index = payload.upperBound
        }
        // A set may arrive as one packet per segment. If its objects come with the composition, the packet is the whole
        // set.
        if canEnd, open?.objects ?? 0 > 0, isSet(packet) {
            piece += Self.end
            isChanged = true
            open = nil
        }
        return isChanged ? pieces + [piece] : nil
    }

    /// Whether a packet starts with a composition.
    private func isSet(_ packet: Span<UInt8>) -> Bool {
        guard packet.count > 13 else { return false }
        return packet[0] == Kind.composition || packet[0] == 0x50 && packet[10] == Kind.composition
    }

    /// Whether everything that the open set shows is present.
    private var canEnd: Bool { open.map { !$0.shown.isEmpty && $0.shown.isSubset(of: complete) } ?? false }

    private mutating func note(_ kind: UInt8, _ bytes: Span<UInt8>, _ payload: Range<Int>, isWhole: Bool) {
        let start = payload.lowerBound
        switch kind {
        case Kind.composition:
            guard payload.count >= 11 else { return open = nil }
            // composition_state: 0x80 starts an epoch.
            if bytes[start + 7] & 0xC0 == 0x80 { (complete, partial) = ([], nil) }
            open = OpenSet(shown: isWhole ? Self.shown(bytes, payload) : [])
        case Kind.object:
            open?.objects += 1
            guard payload.count >= 4 else { return }
            noteObject(bytes, payload)
        case Kind.end: open = nil
        default: break
        }
    }

    private mutating func noteObject(_ bytes: Span<UInt8>, _ payload: Range<Int>) {
        let start = payload.lowerBound
        let id = Int(bytes[start]) << 8 | Int(bytes[start + 1])
        // The first fragment contains the total size, which includes four bytes of width and height.
        if bytes[start + 3] & 0x80 != 0 {
            complete.remove(id)
            guard payload.count >= 7 else { return }
            let total = Int(bytes[start + 4]) << 16 | Int(bytes[start + 5]) << 8 | Int(bytes[start + 6])
            partial = (id, total - (payload.count - 7))
        } else if let known = partial, known.id == id {
            partial = (id, known.missing - (payload.count - 4))
        }
        guard let known = partial, known.id == id, known.missing <= 0 else { return }
        if complete.count < Self.idLimit { complete.insert(id) }
        partial = nil
    }

    /// The objects that a composition shows: eight bytes each, plus eight if cropped.
    private static func shown(_ bytes: Span<UInt8>, _ payload: Range<Int>) -> Set<Int> {
        var shown: Set<Int> = []
        var index = payload.lowerBound + 11
        for _ in 0..<bytes[payload.lowerBound + 10] {
            guard index + 8 <= payload.upperBound else { return [] }
            shown.insert(Int(bytes[index]) << 8 | Int(bytes[index + 1]))
            index += bytes[index + 3] & 0x80 != 0 ? 16 : 8
        }
        return shown
    }
}
