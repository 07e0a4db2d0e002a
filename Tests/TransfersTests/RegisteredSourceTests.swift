// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import EngineTestKit
import Glibc
import SourceWire
import Testing

@testable import Transfers

/// The process of a client that provides 4 KiB of zeros.
private final class Provider: Sendable {
    private static let state = SourceState(byteCount: 4096, tag: "v1")

    let url: String
    let opened = Locked<[OpenRequest]>([])
    /// Whether the process leaves reads unanswered.
    let isSilent = Locked(false)
    private let socket: CInt

    init(in helpers: SourceHelpers) throws {
        let handover = try SourceHandover(in: helpers)
        let ends = Locked<[CInt]>([])
        handover.begin(RecordingPeer { descriptors in ends.withLock { $0 += descriptors.map { dup($0) } } })
        url = handover.url
        socket = try #require(ends.withLock { $0.first })
    }

    deinit { close(socket) }

    func end() { shutdown(socket, CInt(SHUT_RDWR)) }

    /// Answers requests until the engine closes its end. Nothing is written to the memory, which holds zeros.
    func serve() {
        var buffer = [UInt8](repeating: 0, count: longestSourceMessage)
        while true {
            let count = unsafe recv(socket, &buffer, buffer.count, 0)
            guard count > 0, let request = try? SourceRequest(Array(buffer[..<count])) else { return }
            let reply: SourceReply
            switch request {
            case .open(let request):
                opened.withLock { $0.append(request) }
                reply = .opened(Self.state)
            case .state(let id): reply = .state(id: id, Self.state)
            case .read(let id, _, let count, _):
                if isSilent.withLock(\.self) { continue }
                reply = .data(id: id, count: count)
            case .cancel: continue
            }
            let bytes = reply.bytes
            _ = unsafe send(socket, bytes, bytes.count, CInt(MSG_NOSIGNAL))
        }
    }
}

@Suite("Registered sources", .timeLimit(.minutes(10)))
struct RegisteredSourceTests {
    /// Reads a whole source, and returns how the transfer ended.
    private func end(
        of url: String,
        in helpers: SourceHelpers,
        _ credentials: HTTPCredentials? = nil,
        stallLimits: StallLimits = StallLimits()
    ) async throws -> TransferEnd {
        let url = try ResourceURL(forHelper: url)
        let carrier = try #require(try helpers.carrier(for: url))
        var request = TransferRequest(url, byteLimit: .max)
        request.credentials = credentials
        let client = Recorder()
        _ = carrier.start(request, stallLimits: stallLimits, for: client)
        return await client.report().end
    }

    @Test("The provider is asked only once to open its URL, whatever arguments and credentials callers add")
    func opensOnce() async throws {
        let helpers = SourceHelpers()
        let provider = try Provider(in: helpers)
        let serving = Task { await Blocking().run { provider.serve() } }
        let url = provider.url
        #expect(try await end(of: url, in: helpers) == .complete)
        #expect(try await end(of: "\(url)?x=1", in: helpers) == .complete)
        #expect(try await end(of: url, in: helpers, .basic(user: "me", password: "word")) == .complete)
        #expect(try await end(of: "source://me:word@\(url.dropFirst("source://".count))", in: helpers) == .complete)
        #expect(try await end(of: url, in: helpers) == .complete)
        let opened = provider.opened.withLock(\.self)
        #expect(opened.map(\.url) == [url] && opened.map(\.user) == [""] && opened.map(\.password) == [""])
        provider.end()
        await serving.value
    }

    @Test("A caller whose time-out is too short for the provider does not end the source for others")
    func outlastsCallers() async throws {
        let helpers = SourceHelpers()
        let provider = try Provider(in: helpers)
        let serving = Task { await Blocking().run { provider.serve() } }
        provider.isSilent.withLock { $0 = true }
        let limits = StallLimits(quiet: .milliseconds(10), stall: .milliseconds(20))
        #expect(try await end(of: provider.url, in: helpers, stallLimits: limits) == .stalled)
        provider.isSilent.withLock { $0 = false }
        #expect(try await end(of: provider.url, in: helpers) == .complete)
        #expect(provider.opened.withLock(\.count) == 1)
        provider.end()
        await serving.value
    }

    @Test("A source beyond the limit is refused when it is registered, or before its client gets a socket")
    func limit() throws {
        let helpers = SourceHelpers()
        let late = try SourceHandover(in: helpers)
        let providers = try (0..<SourceHelpers.registeredLimit).map { _ in try Provider(in: helpers) }
        let error = #expect(throws: EngineError.self) { try SourceHandover(in: helpers) }
        #expect(error?.code == .resourceExhausted)
        let peer = RecordingPeer()
        late.begin(peer)
        let refusal = HandoverMessage(.over, value: HandoverEnd.refused.rawValue)
        #expect(peer.messages.withLock(\.self) == [refusal] && peer.isClosed.withLock(\.self))
        providers[0].end()
        let next = try Provider(in: helpers)
        #expect(try helpers.carrier(for: ResourceURL(forHelper: next.url)) != nil)
    }
}
