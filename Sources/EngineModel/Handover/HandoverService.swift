// SPDX-License-Identifier: Apache-2.0

/// Connects clients to rings in shared memory, and registers sources that clients provide.
///
/// Thread-safety: safe.
package protocol HandoverService: Sendable {
    /// Prepares a frame ring, which the holder of the ticket can claim.
    func attachFrames(_ request: FramesRequest) async throws(EngineError) -> HandoverTicket

    /// Prepares an audio ring.
    func attachAudio(_ request: AudioRequest) async throws(EngineError) -> HandoverTicket

    /// Prepares a source that the holder of the ticket provides.
    func registerSource() async throws(EngineError) -> SourceRegistration

    /// Redeems a ticket, once. `nil` if the ticket is unknown, expired or already used.
    func claim(_ ticket: HandoverTicket) -> (any Handover)?
}

/// A source that a client is about to provide.
package struct SourceRegistration: Hashable, Sendable {
    /// The URL that clients load.
    package let url: String
    package let ticket: HandoverTicket

    package init(url: String, ticket: HandoverTicket) {
        self.url = url
        self.ticket = ticket
    }
}

/// 128 random bits that identify a handover until a client presents them.
package struct HandoverTicket: Hashable, Sendable {
    package static let byteCount = 16

    package let bytes: [UInt8]

    /// `nil` unless there are exactly `byteCount` bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}

/// A client's connection to a ring in shared memory, or to provide a source. Calls are serialized and return at once.
package protocol Handover: AnyObject, Sendable {
    /// Sends `peer` the descriptors. From now on, `peer` is notified of changes of a ring: of the next one, and of one
    /// more after each `asked`.
    func begin(_ peer: any HandoverPeer)
    /// The client has read the ring, may have released memory, and requests to be notified of the next change.
    func asked()
    /// The client has disconnected, or its ticket has expired.
    func ended()
}

/// The client, as the engine sees it through its connection to the side socket. Calls never block.
///
/// Thread-safety: safe.
package protocol HandoverPeer: AnyObject, Sendable {
    /// - Parameter descriptors: sent along; the caller still owns them.
    /// - Returns: `false` if the client has disconnected or does not read its messages.
    @discardableResult
    func send(_ message: HandoverMessage, descriptors: [CInt]) -> Bool
    /// Closes the connection, which also ends the handover.
    func close()
}

/// The reason why the engine ends a handover.
package enum HandoverEnd: UInt64, Sendable {
    /// The session has ended.
    case session = 0
    /// The session does not accept the sink, because a renderer outside the engine moves the playhead; or a provided
    /// source cannot be registered.
    case refused = 1
    /// The frames are larger than any slot may be, or cannot be converted.
    case impossible = 2
    /// Audio due for playback was not read for 3 s, or no frame was taken for 10 s while others waited for it.
    case stalled = 3
    /// The client does not read its messages.
    case unread = 4
}

/// A message from the engine on the side socket: 16 bytes, little-endian: kind, layout version, value.
package struct HandoverMessage: Hashable, Sendable {
    package enum Kind: UInt32, Sendable {
        /// Memory: two descriptors are attached, for the ring and for the control page. A later message replaces the
        /// memory sent before. The value is the ring's size in bytes.
        case memory = 1
        /// Something has changed since the last message of this kind.
        case news = 2
        /// The ticket is unknown. Nothing follows.
        case refused = 3
        /// The handover has ended. The value is a `HandoverEnd`. Nothing follows.
        case over = 4
        /// The socket of a registered source: one descriptor is attached. Nothing follows.
        case source = 5
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

    /// `nil` unless the bytes are a valid message of this version.
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
