// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// Joins the two fields of a frame into one packet if each field is a picture of its own, because the times of
/// elementary H.264 streams are counted in frames (ITU-T H.264, 7.4.1.2.4).
struct FieldJoin {
    private struct Piece {
        let packet: Packet
        let structure: PictureOrderParser.Structure
    }

    private let structure: (Packet) -> PictureOrderParser.Structure
    private var held: Piece?

    /// - Parameter structure: which part of a frame a packet holds. Called once for each packet, in the order of the
    ///   stream, from a random access point on.
    init(structure: @escaping (Packet) -> PictureOrderParser.Structure) { self.structure = structure }

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
        return Piece(packet: packet, structure: structure(packet))
    }
}

extension Packet {
    /// The bytes of both packets, with the position and time of this one and the sum of their durations.
    fileprivate func followed(by other: Packet) -> Packet {
        carrying(bytes + other.bytes, lasting: duration &+ other.duration)
    }
}
