// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// Joins the two fields of a frame into one packet when each field is a picture of its own: elementary H.264 streams
/// are counted in frames (ITU-T H.264, 7.4.1.2.4).
struct FieldJoin {
    private struct Piece {
        let packet: Packet
        let structure: PictureOrderParser.Structure
    }

    private let parser: PictureOrderParser
    private var held: Piece?

    /// - Parameter parser: must not be shared. Belongs to a stream that is read from a random access point on.
    init(_ parser: PictureOrderParser) { self.parser = parser }

    /// The next frame, or the next field that has no partner.
    ///
    /// - Parameter read: returns the next packet of the stream.
    mutating func next(_ read: () throws(FFmpegError) -> Packet?) throws(FFmpegError) -> Packet? {
        var waiting = held
        held = nil
        if waiting == nil { waiting = try piece(read) }
        guard let first = waiting else { return nil }
        guard first.structure != .frame, let second = try piece(read) else { return first.packet }
        if second.structure != .frame, second.structure != first.structure,
            first.packet.isKey || !second.packet.isKey
        {
            return first.packet.followed(by: second.packet)
        }
        held = second
        return first.packet
    }

    private func piece(_ read: () throws(FFmpegError) -> Packet?) throws(FFmpegError) -> Piece? {
        guard let packet = try read() else { return nil }
        return Piece(packet: packet, structure: parser.structure(of: packet))
    }
}

extension Packet {
    /// The bytes of both packets, with the position and time of this one and the sum of their durations.
    fileprivate func followed(by other: Packet) -> Packet {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount + other.byteCount)
        for packet in [self, other] {
            packet.withBytes { span in for index in span.indices { bytes.append(span[index]) } }
        }
        return carrying(bytes, lasting: duration &+ other.duration)
    }
}
