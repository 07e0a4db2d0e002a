// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import NIOCore

/// Sends a response as fast as the client reads it. The response is over when the channel holds nothing of it, so that
/// its memory can be counted until then (`HeldBodies`).
///
/// Confined to the channel's event loop.
final class ResponsePump {
    /// Other connections get a turn after this many bytes.
    private static let turnSize = 4 * 1024 * 1024

    private let context: ChannelHandlerContext
    private let registry: ConnectionRegistry
    private var response: OutgoingResponse
    private var ended: (() -> Void)?
    private var isPumping = false

    /// When the client had accepted all of the last piece, or the response began.
    private(set) var progress: NIODeadline

    /// - Parameter ended: called when everything was sent.
    init(
        _ response: OutgoingResponse,
        to context: ChannelHandlerContext,
        counting registry: ConnectionRegistry,
        ended: @escaping () -> Void
    ) {
        self.response = response
        self.context = context
        self.registry = registry
        self.ended = ended
        progress = context.eventLoop.now
    }

    /// What the response keeps in memory, if it has a body.
    var held: HeldBodies.Response? {
        response.body.map {
            HeldBodies.Response(body: $0, copyByteCount: response.copyByteCount, progress: progress)
        }
    }

    /// Sends as long as the client accepts data.
    func resume() {
        guard !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        var turn = Self.turnSize
        while ended != nil {
            guard turn > 0 else { return resumeLater() }
            switch response.next() {
            case .write(let piece, let bodyByteCount):
                turn -= OutgoingResponse.pieceSize
                registry.counters.withLock { $0.bodyBytes += UInt64(bodyByteCount) }
                write(piece)
            case .wait: return
            case .end: end()
            }
        }
    }

    /// Call when the connection is over.
    func cancel() { ended = nil }

    private func write(_ piece: ByteBuffer) {
        // Usually completes at once, within `resume`.
        context.writeAndFlush(NIOAny(piece)).assumeIsolated().whenSuccess { [self] in
            response.sent()
            progress = context.eventLoop.now
            // Not at once, because the channel refers to the piece until all callbacks of this write have run.
            if !isPumping { resumeLater() }
        }
    }

    private func resumeLater() {
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute { bound.value.resume() }
    }

    private func end() {
        let ended = ended
        self.ended = nil
        ended?()
    }
}
