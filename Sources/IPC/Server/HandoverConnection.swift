// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Logging
internal import NIOCore

/// One connection on the side socket: the client sends a ticket, then single bytes, each of which requests a
/// notification of the next change. Used only on its event loop.
///
/// Messages to the client bypass the channel and go through `SocketPeer`, because NIO cannot send file descriptors.
final class HandoverConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private enum State {
        case waiting(ByteBuffer)
        case attached(any Handover)
        case over
    }

    /// How long the client may take to send its ticket.
    private static let patience: TimeAmount = .seconds(5)

    private let core: ServerCore
    private let peer: SocketPeer
    private let logger: Logger
    private var state = State.waiting(ByteBuffer())
    private var deadline: Scheduled<Void>?

    init(core: ServerCore, peer: SocketPeer, logger: Logger) {
        self.core = core
        self.peer = peer
        self.logger = logger
    }

    func handlerAdded(context: ChannelHandlerContext) { core.quota.addHandover() }

    func handlerRemoved(context: ChannelHandlerContext) { core.quota.removeHandover() }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        switch state {
        case .attached(let handover): handover.asked()
        case .over: break
        case .waiting(var ticket):
            ticket.writeBuffer(&bytes)
            guard ticket.readableBytes >= HandoverTicket.byteCount else {
                state = .waiting(ticket)
                return
            }
            deadline?.cancel()
            redeem(ticket, context)
        }
    }

    private func redeem(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        var bytes = bytes
        let ticket = bytes.readBytes(length: HandoverTicket.byteCount).flatMap { HandoverTicket($0) }
        guard let ticket, let handover = core.service.claim(ticket) else {
            logger.warning("rejected an attachment: unknown ticket")
            state = .over
            peer.send(HandoverMessage(.refused), descriptors: [])
            context.close(promise: nil)
            return
        }
        state = .attached(handover)
        handover.begin(peer)
        if bytes.readableBytes > 0 { handover.asked() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        if case .attached(let handover) = state { handover.ended() }
        state = .over
        peer.close()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
