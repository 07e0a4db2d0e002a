// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import NIOCore

/// Sends the pieces of a stream as fast as the client reads them: the next one is requested when the last was taken.
///
/// Confined to the channel's event loop.
final class StreamPump {
    private enum State {
        case idle
        case fetching(Task<Void, Never>)
        case over
    }

    private let stream: any ControlStream
    private let context: ChannelHandlerContext
    private let registry: ConnectionRegistry
    private let ended: () -> Void
    private var state = State.idle

    /// - Parameter ended: called when the last piece was written.
    init(
        _ stream: any ControlStream,
        to context: ChannelHandlerContext,
        counting registry: ConnectionRegistry,
        ended: @escaping () -> Void
    ) {
        self.stream = stream
        self.context = context
        self.registry = registry
        self.ended = ended
    }

    /// Call when the channel can take more.
    func resume() {
        guard case .idle = state, context.channel.isWritable else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        registry.taskStarted()
        // The task ends with the next piece. `cancel` cancels it, and ends the stream, so that no piece comes later.
        let task = Task { [stream] in
            let piece = await stream.next()
            eventLoop.execute { bound.value.fetched(piece) }
        }
        state = .fetching(task)
    }

    /// Cancels the stream, unless it has ended.
    func cancel() {
        if case .over = state { return }
        if case .fetching(let task) = state { task.cancel() }
        state = .over
        stream.cancel()
    }

    private func fetched(_ piece: [UInt8]?) {
        registry.taskEnded()
        guard case .fetching = state else { return }
        guard let piece else {
            state = .over
            stream.cancel()
            return ended()
        }
        state = .idle
        let bytes = context.channel.allocator.buffer(bytes: piece)
        registry.counters.withLock { $0.bodyBytes += UInt64(piece.count) }
        context.writeAndFlush(NIOAny(bytes), promise: nil)
        resume()
    }
}
