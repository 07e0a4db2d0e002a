// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// The state of reading pictures from a container that has no presentation times, only some, or no whole frames.
struct PictureReading {
    /// The video stream whose pictures must be put in output order.
    var orderedStream: Int?
    private(set) var parser: PictureOrderParser?
    /// Joins fields that are separate pictures.
    var fields: FieldJoin?
    /// `nil` unless the container leaves out times.
    var counted: CountedPictures?

    /// Whether times are counted.
    var isCounting: Bool { counted != nil }

    /// Resets everything after a jump of the read position.
    ///
    /// - Parameter position: the byte at which reading continues; `nil` if it is not known.
    mutating func hasJumped(to position: Int64?, in context: borrowing FormatContext, _ container: ContainerFormat) {
        counted?.enter(at: position)
        (parser, fields) = (nil, nil)
        if let orderedStream { parser = context.pictureOrderParser(of: orderedStream) }
        guard container.isBareH264, let joined = context.pictureOrderParser(of: 0) else { return }
        fields = FieldJoin { joined.structure(of: $0) }
    }

    /// The packet with the time that the container leaves out.
    mutating func timed(_ packet: Packet) -> Packet { counted?.timed(packet) ?? packet }
}
