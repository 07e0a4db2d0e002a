// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import NIOCore
internal import NIOHTTP1

/// One client's connection: receives a request, asks the router and the provider, sends the response as fast as the
/// client reads it, and then receives the next request.
///
/// It holds at most one request and one piece of a body (`OutgoingResponse`). A client that closes its sending side is
/// treated as gone, because the server cannot distinguish that from a full close; its request is cancelled at once.
/// Confined to the channel's event loop.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    private enum State {
        case receiving
        /// The provider is working on the request (held).
        case holding(HTTPRequestHead, Task<Void, Never>)
        /// The body of an admitted call of control over HTTP is arriving.
        case collecting(HTTPRequestHead, ControlRequest)
        /// The control provider is working on the request.
        case calling(HTTPRequestHead, Task<Void, Never>)
        /// A response without a length is being sent.
        case streaming(StreamPump)
        case sending(ResponsePump)
        /// Everything was sent. The server waits for the client to close, so that a TCP reset cannot discard the
        /// response.
        case lingering
        case closed
    }

    private static let lingerTimeout = TimeAmount.seconds(2)

    private let configuration: LoopbackConfiguration
    private let provider: any LoopbackProvider
    private let control: (any ControlProvider)?
    private let router: RequestRouter
    private let gate: RequestGate
    private let registry: ConnectionRegistry
    private var context: ChannelHandlerContext?
    private var state = State.receiving
    /// Counts requests, so that results for abandoned requests can be recognised.
    private var generation = 0

    /// The deadline of every state but `sending`.
    private var timer = NIODeadline.distantFuture

    init(
        configuration: LoopbackConfiguration,
        provider: any LoopbackProvider,
        control: (any ControlProvider)?,
        router: RequestRouter,
        gate: RequestGate,
        registry: ConnectionRegistry
    ) {
        self.configuration = configuration
        self.provider = provider
        self.control = control
        self.router = router
        self.gate = gate
        self.registry = registry
    }

    var isIdle: Bool {
        if case .receiving = state { true } else { false }
    }

    /// When the registry must call `expire`.
    var deadline: NIODeadline {
        guard case .sending(let pump) = state else { return timer }
        return pump.progress + TimeAmount(configuration.stallTimeout)
    }

    // MARK: Calls from the server

    /// Call when the server stops. Closes the connection; a held request is answered with 503 first.
    func release() {
        guard case .holding(let request, let task) = state else { return abort() }
        abandon(task)
        var response = Response.message(.serviceUnavailable, "the server is shutting down", closes: true)
        response.headers.append(("Retry-After", "1"))
        response.allowEveryOrigin()
        answer(response, to: request)
        abort()
    }

    /// Closes the connection without a response.
    func abort() { context?.close(mode: .all, promise: nil) }

    /// Call when the deadline has passed.
    func expire() {
        registry.counters.withLock { $0.timeouts += 1 }
        switch state {
        case .receiving where gate.hasPartialHead:
            refuse(.requestTimeout, "the request took too long")
        case .holding(let request, let task):
            abandon(task)
            answer(Response(.notReady(retryAfterSeconds: 1), for: request), to: request)
        case .calling(let request, let task):
            abandon(task)
            answer(.message(.gatewayTimeout, "the call took too long", closes: true), to: request)
        case .receiving, .collecting, .streaming, .sending, .lingering, .closed:
            abort()
        }
    }

    /// What the response that is being sent keeps in memory, if it has a body.
    var held: HeldBodies.Response? {
        guard case .sending(let pump) = state else { return nil }
        return pump.held
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        setDeadline(configuration.idleTimeout)
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelInactive(context: ChannelHandlerContext) {
        switch state {
        case .holding(_, let task), .calling(_, let task): abandon(task)
        case .streaming(let pump): pump.cancel()
        case .sending(let pump): pump.cancel()
        case .receiving, .collecting, .lingering, .closed: break
        }
        state = .closed
        timer = .distantFuture
        registry.remove(self)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head(let request), .receiving): receive(request, on: context.eventLoop)
        case (.body(let bytes), .collecting(let head, var call)):
            call.body += bytes.readableBytesView
            state = .collecting(head, call)
        case (.end, .collecting(let head, let call)): perform(call, head, on: context.eventLoop)
        case (.head, _), (.body, _), (.end, _): break
        }
    }

    private func receive(_ request: HTTPRequestHead, on eventLoop: any EventLoop) {
        registry.counters.withLock { $0.requests += 1 }
        switch router.decide(request) {
        case .answer(let response): answer(response, to: request)
        case .fetch(let token, let path, let query):
            hold(request, on: eventLoop) { await $0.resource(token: token, path: path, query: query) }
        case .metrics:
            let counters = registry.counters.withLock { $0 }
            hold(request, on: eventLoop) { .found(LoopbackContent(metrics: await $0.metrics(counters))) }
        case .control(let call, let byteCount): admit(call, request, byteCount)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // The first byte of a head starts the timeout; later bytes do not restart it.
        if case .receiving = state, gate.hasPartialHead {
            timer = min(timer, context.eventLoop.now + TimeAmount(configuration.headTimeout))
        }
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, case .streaming(let pump) = state { pump.resume() }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case HeadLimitError.requestLine: refuse(.uriTooLong, "the request line is too long")
        case HeadLimitError.head: refuse(.requestHeaderFieldsTooLarge, "the request head is too long")
        case HTTPParserError.headerOverflow: refuse(.requestHeaderFieldsTooLarge, "the request head is too long")
        case HTTPParserError.invalidMethod, HTTPParserError.invalidVersion:
            let line = RequestLine(gate.head)
            refuse(line.refusal, line.reason)
        case is HTTPParserError: refuse(.badRequest, "not a valid HTTP/1.1 request")
        default: abort()
        }
    }

    // MARK: Holding

    private func hold(
        _ request: HTTPRequestHead,
        on eventLoop: any EventLoop,
        _ fetch: @escaping @Sendable (any LoopbackProvider) async -> LoopbackResource
    ) {
        generation += 1
        let generation = generation
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        registry.taskStarted()
        // Kept in `state`; cancelled by `abandon` when the client disconnects, at the deadline, and when the server
        // stops.
        let task = Task { [provider] in
            let resource = await fetch(provider)
            eventLoop.execute {
                bound.value.registry.taskEnded()
                bound.value.provided(resource, for: generation)
            }
        }
        state = .holding(request, task)
        setDeadline(configuration.holdLimit)
    }

    private func provided(_ resource: LoopbackResource, for generation: Int) {
        guard generation == self.generation, case .holding(let request, _) = state else { return }
        answer(Response(resource, for: request), to: request)
    }

    private func abandon(_ task: Task<Void, Never>) {
        task.cancel()
        generation += 1
        registry.counters.withLock { $0.abandonedRequests += 1 }
    }

    // MARK: Control over HTTP

    private func admit(_ call: ControlRequest, _ head: HTTPRequestHead, _ byteCount: Int) {
        switch control?.admit(call) {
        case .admitted(let limit) where byteCount <= limit:
            state = .collecting(head, call)
            // The decoder reports the end of a request without a body at once.
            guard byteCount > 0 else { return }
            setDeadline(configuration.headTimeout)
            gate.passBody(byteCount)
        case .admitted(let limit):
            answer(.message(.payloadTooLarge, "the body has more than \(limit) bytes", closes: true), to: head)
        case .refused(let refusal):
            var response = Response(refusal)
            response.closes = response.closes || byteCount > 0
            answer(response, to: head)
        case nil: answer(.message(.notFound, "no such resource", closes: true), to: head)
        }
    }

    private func perform(_ call: ControlRequest, _ head: HTTPRequestHead, on eventLoop: any EventLoop) {
        guard let control else { return abort() }
        generation += 1
        let generation = generation
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        registry.taskStarted()
        // Kept in `state`, and cancelled, like the task of `hold`.
        let task = Task {
            let response = await control.respond(to: call)
            eventLoop.execute {
                bound.value.registry.taskEnded()
                bound.value.performed(response, for: generation)
            }
        }
        state = .calling(head, task)
        setDeadline(configuration.controlLimit)
    }

    private func performed(_ response: ControlResponse, for generation: Int) {
        guard generation == self.generation, case .calling(let head, _) = state, let context else {
            if case .stream(let stream) = response.body { stream.cancel() }
            return
        }
        guard case .stream(let stream) = response.body else { return answer(Response(response), to: head) }
        var buffer = ByteBuffer()
        Response(response).writeHead(to: &buffer, date: HTTPDate.format(unixSeconds: wallClockSeconds()))
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
        let pump = StreamPump(stream, to: context, counting: registry) { [weak self] in self?.finish(closes: true) }
        state = .streaming(pump)
        timer = .distantFuture
        pump.resume()
    }

    // MARK: Sending

    /// Answers an invalid request and closes the connection. While another request is being handled, closes without an
    /// answer.
    private func refuse(_ status: HTTPResponseStatus, _ text: String) {
        guard case .receiving = state else { return abort() }
        send(.message(status, text, closes: true))
    }

    private func answer(_ response: Response, to request: HTTPRequestHead) {
        var response = response
        if request.method == .HEAD { response.dropBody() }
        // After an upgrade request the decoder treats further bytes as another protocol, which is not supported here.
        let isLast = !request.isKeepAlive || request.method == .CONNECT || request.headers.contains(name: "Upgrade")
        response.closes = response.closes || isLast
        send(response)
    }

    private func send(_ response: Response) {
        guard let context else { return }
        if response.status.code >= 400 { registry.counters.withLock { $0.refusals += 1 } }
        let outgoing = OutgoingResponse(response, date: HTTPDate.format(unixSeconds: wallClockSeconds()))
        let pump = ResponsePump(outgoing, to: context, counting: registry) { [weak self, closes = response.closes] in
            self?.finish(closes: closes)
        }
        state = .sending(pump)
        pump.resume()
    }

    private func finish(closes: Bool) {
        guard closes else {
            state = .receiving
            setDeadline(gate.hasPartialHead ? configuration.headTimeout : configuration.idleTimeout)
            return gate.open()
        }
        state = .lingering
        guard let context else { return }
        timer = context.eventLoop.now + Self.lingerTimeout
        gate.discardInput()
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        // An empty write completes after all previous writes.
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
            bound.value.close(mode: .output, promise: nil)
        }
    }

    private func setDeadline(_ duration: Duration) {
        guard let context else { return }
        timer = context.eventLoop.now + TimeAmount(duration)
    }
}
