// SPDX-License-Identifier: Apache-2.0

package import NIOCore
package import NIOPosix

extension ServerBootstrap {
    /// Lets connections wait in the backlog for 100 ms when the process has no descriptor left for one, and then tries
    /// again. Takes the place of any other initializer of the listening channel.
    package func pausingWithoutDescriptors() -> ServerBootstrap {
        serverChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(AcceptPause()) }
        }
    }
}

extension Channel {
    /// Accepts no further connections. Those that are open stay open.
    package func stopListening() async {
        try? await close()  // It may be closed already.
    }
}

/// Without it, the event loop would try again at once, for as long as no descriptor is free: NIO's own
/// `AcceptBackoffHandler` delays reads that are asked for, and after an error the one that failed is still pending
/// (swift-nio 2.101).
private final class AcceptPause: ChannelInboundHandler {
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
