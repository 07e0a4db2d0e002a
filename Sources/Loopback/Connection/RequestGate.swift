// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// A head that is longer than this server takes.
enum HeadLimitError: Error {
    case requestLine
    case head
}

/// Lets one request head through to the decoder, and the next one only when it is told that the first was answered.
///
/// Pipelined requests wait as bytes here, so a client can neither make requests overtake each other nor pile up work.
/// Confined to the channel's event loop.
final class RequestGate: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer

    /// What is kept of a client that sends while its request is worked on. Beyond it the socket is not read.
    private static let backlogLimit = 64 * 1024

    private var framer: HeadFramer
    private var context: ChannelHandlerContext?
    private var isOpen = true
    private var isPumping = false
    private var isDiscarding = false
    private var hasUnansweredRead = false

    init(configuration: LoopbackConfiguration) {
        framer = HeadFramer(requestLineLimit: configuration.requestLineLimit, headLimit: configuration.headLimit)
    }

    /// Whether a part of the next head is here.
    var hasPartialHead: Bool { framer.pendingByteCount > 0 }

    /// The request that was let through is answered.
    func open() {
        isOpen = true
        pump()
        if hasUnansweredRead, framer.pendingByteCount < Self.backlogLimit {
            hasUnansweredRead = false
            context?.read()
        }
    }

    /// From now on nothing is let through; what comes is read and dropped, so that closing loses no answer.
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
        if !isDiscarding, !isOpen, framer.pendingByteCount >= Self.backlogLimit {
            hasUnansweredRead = true
        } else {
            context.read()
        }
    }

    /// A loop and not a recursion, because answers that are ready at once call `open` from inside `fireChannelRead`.
    private func pump() {
        guard !isPumping, let context else { return }
        isPumping = true
        defer { isPumping = false }
        while isOpen, !isDiscarding {
            switch framer.next() {
            case .head(let head):
                isOpen = false
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
