// SPDX-License-Identifier: Apache-2.0

/// The text subtitles of a Blu-ray disc (HDMV TextST): a clip with one stream, whose first segment has the styles, and
/// each other one a dialog.
///
/// Damaged segments are left out. Sizes, outlines and colours are ignored: only a player with the fonts of the disc
/// could show them as intended.
package struct BluRayText: Hashable, Sendable {
    /// The largest size of the clips with text subtitles of one stream, in bytes. Disc players keep them in 512 KiB.
    package static let byteLimit = 8 << 20
    /// The largest number of dialogs.
    package static let dialogLimit = 20_000
    private static let subject = "the text subtitles of a Blu-ray disc"
    private static let styleSegment: UInt8 = 0x81
    private static let dialogSegment: UInt8 = 0x82

    /// In the order of the clip.
    package private(set) var dialogs: [TextDialog] = []
    /// By their numbers.
    private var styles: [UInt8: TextDialog.Style] = [:]
    /// The beginning of a segment that is continued in the next PES packet.
    private var rest: [UInt8] = []

    /// - Parameters:
    ///   - bytes: the whole clip.
    ///   - pid: the PID of the stream.
    package init(_ bytes: [UInt8], pid: Int) {
        var unit: [UInt8] = []
        let size = TransportUnit.packetByteCount
        for start in stride(from: 0, through: bytes.count - size, by: size) {
            guard let packet = Packet(bytes[start + 4..<start + size]), packet.pid == pid else { continue }
            if packet.begins {
                take(unit)
                unit = []
            } else if unit.isEmpty {
                continue
            }
            unit += packet.payload
        }
        take(unit)
    }

    /// A packet of the transport stream.
    private struct Packet {
        let pid: Int
        /// Whether a PES packet begins in it.
        let begins: Bool
        let payload: ArraySlice<UInt8>

        /// - Parameter bytes: 188 bytes.
        /// - Returns: `nil` if it has no payload, or is damaged.
        init?(_ bytes: ArraySlice<UInt8>) {
            let at = bytes.startIndex
            let control = bytes[at + 3] >> 4 & 3
            guard bytes[at] == 0x47, control & 1 == 1 else { return nil }
            let skipped = control == 3 ? 1 + Int(bytes[at + 4]) : 0
            guard 4 + skipped <= bytes.count else { return nil }
            pid = Int(bytes[at + 1] & 0x1F) << 8 | Int(bytes[at + 2])
            begins = bytes[at + 1] & 0x40 != 0
            payload = bytes[(at + 4 + skipped)...]
        }
    }

    /// Reads a PES packet (ISO/IEC 13818-1, 2.4.3.6). In private stream 2, which carries text on discs, packets have no
    /// further header.
    private mutating func take(_ unit: [UInt8]) {
        guard unit.count > 6, unit[0...2].elementsEqual([0, 0, 1]) else { return }
        let length = Int(unit[4]) << 8 | Int(unit[5])
        let end = length == 0 ? unit.count : min(unit.count, 6 + length)
        let start = unit[3] == 0xBF ? 6 : unit.count > 8 ? 9 + Int(unit[8]) : end
        guard start < end else { return }
        rest += unit[start..<end]
        readSegments()
    }

    /// Reads the segments that are complete.
    private mutating func readSegments() {
        var place = 0
        while place + 3 <= rest.count {
            let kind = rest[place]
            guard [Self.styleSegment, Self.dialogSegment].contains(kind) else {
                // The next segment may begin with the next packet.
                place = rest.count
                break
            }
            let end = place + 3 + (Int(rest[place + 1]) << 8 | Int(rest[place + 2]))
            guard end <= rest.count else { break }
            let body = ByteReader(Array(rest[place + 3..<end]), subject: Self.subject)
            do throws(PackagingError) {
                if kind == Self.styleSegment {
                    styles = try TextDialog.styles(body)
                } else if dialogs.count < Self.dialogLimit {
                    dialogs.append(try TextDialog(body, styles))
                }
            } catch {
                // The others can still be shown.
            }
            place = end
        }
        rest.removeFirst(place)
    }
}
