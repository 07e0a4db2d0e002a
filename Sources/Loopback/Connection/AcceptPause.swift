// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Lets connections wait in the backlog for 100 ms when the process has no descriptor left for one. Without it, the event
/// loop would try again at once, for as long as that lasts: NIO's own `AcceptBackoffHandler` delays reads that are asked
/// for, and after an error the one that failed is still pending (swift-nio 2.101).
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = Channel

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is IOError else { return context.fireErrorCaught(error) }
        let channel = context.channel
        channel.setOption(.autoRead, value: false).whenFailure { _ in channel.close(promise: nil) }
        channel.eventLoop.scheduleTask(in: .milliseconds(100)) {
            channel.setOption(.autoRead, value: true).whenFailure { _ in channel.close(promise: nil) }
        }
    }
}
