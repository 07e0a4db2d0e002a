// SPDX-License-Identifier: Apache-2.0

package import NIOCore
package import NIOPosix

extension ServerBootstrap {
    /// Makes the server pause accepting for 100 ms when accepting fails, as when the process has no free descriptor.
    /// Connections wait in the backlog meanwhile. Replaces any other initializer of the listening channel.
    package func pausingWithoutDescriptors() -> ServerBootstrap {
        serverChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(AcceptPause()) }
        }
    }
}

extension Channel {
    /// Accepts no more connections. Open connections stay open.
    package func stopListening() async {
        _ = try? await close()  // Fails only if the channel is closed already.
    }
}

/// Without this handler, the event loop would retry in a busy loop until a descriptor is free. NIO's own
/// `AcceptBackoffHandler` does not help: it delays new reads, but after an error the failed read is still pending
/// (swift-nio 2.101).
private final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = Channel

    private static let pause = TimeAmount.milliseconds(100)

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is IOError else { return context.fireErrorCaught(error) }
        let channel = context.channel
        channel.setOption(.autoRead, value: false).whenFailure { _ in channel.close(promise: nil) }
        channel.eventLoop.scheduleTask(in: Self.pause) {
            channel.setOption(.autoRead, value: true).whenFailure { _ in channel.close(promise: nil) }
        }
    }
}
