// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// A request head exceeds a limit.
enum HeadLimitError: Error {
    case requestLine
    case head
}

/// Passes one request head to the decoder, and the next one only after the first was answered.
///
/// Pipelined requests wait here as bytes, so a client can neither reorder requests nor pile up work. Confined to the
/// channel's event loop.
final class RequestGate: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer

    /// How many bytes to buffer from a client that sends while its request is being processed. Beyond that, the socket
    /// is not read.
    private static let backlogLimit = 64 * 1024

    private var framer: HeadFramer
    private var context: ChannelHandlerContext?
    /// The head that was passed to the decoder last.
    private(set) var head = ByteBuffer()
    private var isOpen = true
    /// The number of bytes of a body that have not arrived yet.
    private var missingBodyBytes = 0
    private var isPumping = false
    private var isDiscarding = false
    private var hasUnansweredRead = false

    init(configuration: LoopbackConfiguration) {
        framer = HeadFramer(requestLineLimit: configuration.requestLineLimit, headLimit: configuration.headLimit)
    }

    /// Whether part of the next head has arrived.
    var hasPartialHead: Bool { framer.pendingByteCount > 0 }

    /// Call when the current request was answered.
    func open() {
        isOpen = true
        pump()
        if hasUnansweredRead, framer.pendingByteCount < Self.backlogLimit {
            hasUnansweredRead = false
            context?.read()
        }
    }

    /// Passes on the body of the current request: the next `byteCount` bytes.
    func passBody(_ byteCount: Int) {
        missingBodyBytes = byteCount
        pump()
    }

    /// Reads and discards input from now on, so that closing the connection cannot lose a response.
    func discardInput() {
        isDiscarding = true
        framer.discard()
        context?.read()
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDiscarding else { return }
        framer.append(unwrapInboundIn(data))
        pump()
    }

    func read(context: ChannelHandlerContext) {
        if !isDiscarding, !isOpen, missingBodyBytes == 0, framer.pendingByteCount >= Self.backlogLimit {
            hasUnansweredRead = true
        } else {
            context.read()
        }
    }

    /// A loop instead of recursion, because responses that are ready at once call `open` from within `fireChannelRead`.
    private func pump() {
        guard !isPumping, let context else { return }
        isPumping = true
        defer { isPumping = false }
        while !isDiscarding {
            if missingBodyBytes > 0 {
                let piece = framer.takeBody(upTo: missingBodyBytes)
                guard piece.readableBytes > 0 else { return }
                missingBodyBytes -= piece.readableBytes
                context.fireChannelRead(wrapInboundOut(piece))
                continue
            }
            guard isOpen else { return }
            switch framer.next() {
            case .head(let head):
                isOpen = false
                self.head = head
                context.fireChannelRead(wrapInboundOut(head))
            case .needsBytes:
                return
            case .requestLineTooLong:
                isOpen = false
                context.fireErrorCaught(HeadLimitError.requestLine)
            case .headTooLong:
                isOpen = false
                context.fireErrorCaught(HeadLimitError.head)
            }
        }
    }
}
