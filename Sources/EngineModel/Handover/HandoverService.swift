// SPDX-License-Identifier: Apache-2.0

/// What lends memory to front-ends.
///
/// Thread-safety: safe.
package protocol HandoverService: Sendable {
    /// Prepares a ring of pictures. It is given to whoever shows the ticket.
    func attachFrames(_ request: FramesRequest) async throws(EngineError) -> HandoverTicket

    /// Prepares a ring of sound.
    func attachSound(_ request: SoundRequest) async throws(EngineError) -> HandoverTicket

    /// What a ticket stands for, once: `nil` when it is not known, too old, or used.
    func claim(_ ticket: HandoverTicket) -> (any Handover)?
}

/// 128 random bits that stand for an attachment until somebody shows them.
package struct HandoverTicket: Hashable, Sendable {
    package static let byteCount = 16

    package let bytes: [UInt8]

    /// `nil` when there are not `byteCount` of them.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}

/// An attachment whose front-end is there. Calls come one after the other, and return at once.
package protocol Handover: AnyObject, Sendable {
    /// Gives the memory to `peer`, and tells it of what happens from now on.
    func begin(_ peer: any HandoverPeer)
    /// The front-end has looked, and may have let go of something: it wants to hear of what comes next.
    func asked()
    /// The front-end has gone.
    func ended()
}

/// The front-end's end of the side socket. Never blocks.
///
/// Thread-safety: safe.
package protocol HandoverPeer: AnyObject, Sendable {
    /// - Parameter descriptors: given along; they stay the caller's.
    /// - Returns: `false` when the front-end has gone, or does not read what it is sent.
    @discardableResult
    func send(_ message: HandoverMessage, descriptors: [CInt]) -> Bool
    /// Ends the connection, and with it the attachment.
    func close()
}

/// Why the engine ends an attachment.
package enum HandoverEnd: UInt64, Sendable {
    /// The session is over.
    case session = 0
    /// The session takes no outputs while a renderer elsewhere plays what it serves.
    case refused = 1
    /// Its pictures are larger than any slot may be, or cannot be converted.
    case impossible = 2
    /// Sound that should be heard was not taken for 3 s, or no picture for 10 s while others waited for that.
    case stalled = 3
    /// The front-end does not read what it is sent.
    case unread = 4
}

/// What the engine says on the side socket: 16 bytes, little-endian, a kind, the version of the layout, a value.
package struct HandoverMessage: Hashable, Sendable {
    package enum Kind: UInt32, Sendable {
        /// Memory: two descriptors come along, that of the ring and that of the control page. A later one takes the place
        /// of what was given before. The value is the number of bytes of the ring.
        case memory = 1
        /// Something has changed since the last word of this kind.
        case news = 2
        /// Nobody knows the ticket. Nothing follows.
        case refused = 3
        /// The attachment is over. The value is a `HandoverEnd`. Nothing follows.
        case over = 4
    }

    package static let byteCount = 16
    package static let version: UInt32 = 1

    package var kind: Kind
    package var value: UInt64

    package init(_ kind: Kind, value: UInt64 = 0) {
        self.kind = kind
        self.value = value
    }

    package var bytes: [UInt8] {
        Self.bytes(UInt64(kind.rawValue) | UInt64(Self.version) << 32) + Self.bytes(value)
    }

    /// `nil` for what is no message of this version.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        let head = Self.number(bytes[0..<8])
        guard head >> 32 == Self.version, let kind = Kind(rawValue: UInt32(truncatingIfNeeded: head)) else {
            return nil
        }
        self.init(kind, value: Self.number(bytes[8..<16]))
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
