// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import NIOCore

/// A response on its way to a client, in pieces. A piece is copied only when the one before it has been sent, so at
/// most one piece is in memory twice.
struct OutgoingResponse {
    enum Step {
        /// Write this; its last `bodyByteCount` bytes are of the body. Call `sent` when the channel holds none of it.
        case write(ByteBuffer, bodyByteCount: Int)
        /// The last piece has not been sent yet.
        case wait
        /// Everything has been sent.
        case end
    }

    private enum Stage { case head, sending, sent }

    /// The maximum size of a piece, with the head. Large enough that system calls are cheap, small enough that the copy
    /// stays in the CPU cache. A power of two, because the capacity of a buffer is one.
    static let pieceSize = 256 * 1024

    private var cursor: BodyCursor?
    private var piece = ByteBuffer()
    private var stage = Stage.head

    init(_ response: Response, date: String) {
        cursor = response.body.map { BodyCursor($0, range: response.bodyRange) }
        piece.clear(minimumCapacity: min(Self.pieceSize, 1024 + (cursor?.remaining ?? 0)))
        response.writeHead(to: &piece, date: date)
    }

    /// The body. It stays in memory until everything has been sent.
    var body: ByteBody? { cursor?.body }

    /// The memory that the copy takes, whether it is full or not.
    var copyByteCount: Int { piece.storageCapacity }

    mutating func next() -> Step {
        let missing = cursor?.remaining ?? 0
        switch stage {
        case .sending: return .wait
        case .sent where missing == 0: return .end
        case .sent: piece.clear()
        case .head: break
        }
        cursor?.write(upTo: max(0, Self.pieceSize - piece.readableBytes), to: &piece)
        stage = .sending
        return .write(piece, bodyByteCount: missing - (cursor?.remaining ?? 0))
    }

    /// Call when the channel has sent the last piece and refers to it no longer: its memory is used again.
    mutating func sent() { stage = .sent }
}
