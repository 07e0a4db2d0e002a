// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import EngineTestKit
import Testing

@testable import Transfers

private typealias Step = ScriptedOrigin.Step

/// A live stream of consecutive 32-bit numbers. Numbers that a later connection repeats are dropped.
private struct Numbers: StreamIntake {
    var next: UInt32 = 0
    var last = UInt32.max
    var pending: [UInt8] = []
    var reception = StreamReception()
    var canContinue: Bool { next > 0 }

    static func bytes(_ range: Range<UInt32>) -> [UInt8] {
        range.flatMap { number in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
    }

    /// Makes the stream end before the number `stream`.
    mutating func require(stream: Int) {
        last = UInt32(stream)
        if next >= stream { reception.isReplaced = true }
    }

    mutating func take(_ bytes: [UInt8]) -> [UInt8] {
        guard !reception.isReplaced else { return [] }
        pending += bytes
        var output: [UInt8] = []
        for place in stride(from: 0, through: pending.count - 4, by: 4) {
            let bytes = pending[place..<place + 4]
            guard bytes.reduce(0, { $0 << 8 | UInt32($1) }) == next else { continue }
            guard next < last else {
                reception.isReplaced = true
                break
            }
            output += bytes
            next += 1
        }
        pending.removeFirst(pending.count / 4 * 4)
        return output
    }

    mutating func disconnected() -> [UInt8] {
        pending = []
        return []
    }
}

@Suite("Live streams", .timeLimit(.minutes(5)))
struct LiveReceptionTests {
    private let loop = TransferLoop()

    private func source(_ origin: ScriptedOrigin, progress: Int64 = 100_000) throws -> HTTPSource {
        var configuration = HTTPSourceConfiguration(TransferRequest(try ResourceURL(origin.url()), byteLimit: .max))
        configuration.retries.firstPause = .milliseconds(2)
        configuration.retries.longestPause = .milliseconds(10)
        configuration.retries.progress = progress
        configuration.intake = { Numbers() }
        return HTTPSource(configuration, loop: loop, cache: RangeCache(byteLimit: 8 << 20))
    }

    /// All bytes up to the end, or up to a failure.
    private func all(_ source: HTTPSource) async -> (bytes: [UInt8], failure: SourceFailure.Kind?) {
        await Blocking().run {
            let reader = source.makeReader()
            var found: [UInt8] = []
            do throws(SourceFailure) {
                while true {
                    let place = Int64(found.count)
                    let bytes = try [UInt8](upTo: 50_000) { output throws(SourceFailure) in
                        _ = try reader.read(at: place, into: &output)
                    }
                    if bytes.isEmpty { return (found, nil) }
                    found += bytes
                }
            } catch {
                return (found, error.kind)
            }
        }
    }

    @Test("continue with another connection, and end with a connection that delivers nothing new")
    func rejoins() async throws {
        let live = Step.head("200 OK", "Connection: close")
        let origin = try await ScriptedOrigin { request in
            switch request.number {
            case 0:
                // One chunk of 20,001 bytes, without the last chunk.
                [
                    .head("200 OK", "Transfer-Encoding: chunked"), .send(Array("4E21\r\n".utf8)),
                    .send(Numbers.bytes(0..<5000) + [0]), .close,
                ]
            case 1: [.head("200 OK", "Content-Length: 4"), .send(Numbers.bytes(5000..<5001)), .close]
            case 2: [.head("503 Service Unavailable", "Content-Length: 0"), .close]
            case 3: [live, .send(Numbers.bytes(4500..<9000)), .close]
            case 4: [live, .send(Numbers.bytes(8999..<20_000)), .close]
            default: [live, .send(Numbers.bytes(19_000..<20_000)), .close]
            }
        }
        let source = try source(origin, progress: 10_000)
        let (bytes, failure) = await all(source)
        #expect(bytes == Numbers.bytes(0..<20_000) && failure == nil)
        #expect(source.byteCount == 80_000 && source.growth == nil && source.failure == nil)
        #expect(origin.requests.withLock { $0.count } == 6)
    }

    @Test("continue when their server answers again, which refuses them while it restarts")
    func survivesRestart() async throws {
        let live = Step.head("200 OK", "Connection: close")
        let origin = try await ScriptedOrigin { request in
            switch request.number {
            case 0: [live, .send(Numbers.bytes(0..<50_000)), .close]
            case 1: [.head("404 Not Found", "Content-Length: 0"), .close]
            case 2: [.head("403 Forbidden", "Content-Length: 0"), .close]
            case 3: [.head("502 Bad Gateway", "Content-Length: 0"), .close]
            case 4: [live, .send(Numbers.bytes(49_000..<60_000)), .close]
            default: [live, .send(Numbers.bytes(59_000..<60_000)), .close]
            }
        }
        let (bytes, failure) = await all(try source(origin))
        #expect(bytes == Numbers.bytes(0..<60_000) && failure == nil)
        #expect(origin.requests.withLock { $0.count } == 6)
    }

    @Test("whose server does not come back end with a typed failure", arguments: [nil, "404 Not Found"])
    func doesNotRejoin(refusal: String?) async throws {
        let origin = try await ScriptedOrigin { request in
            guard request.number == 0 else {
                return refusal.map { [.head($0, "Content-Length: 0"), .close] } ?? [.close]
            }
            let live = Step.head("200 OK", "Connection: close")
            return [live, .send(Numbers.bytes(0..<50_000)), .close]
        }
        let source = try source(origin)
        #expect(await all(source).failure == (refusal == nil ? .lost : .notFound(404)))
        #expect(source.growth != nil && origin.requests.withLock { $0.count } == 12)
    }

    @Test("whose video has another codec end there, although their server goes on", arguments: [true, false])
    func codecChange(isEarly: Bool) async throws {
        let origin = try await ScriptedOrigin { _ in
            [.head("200 OK", "Connection: close"), .send(Numbers.bytes(0..<20_000)), .silence]
        }
        let source = try source(origin)
        let reader = source.makeReader()
        let first = await Blocking().run { () -> Int in
            do throws(SourceFailure) {
                return try [UInt8](upTo: 4) { output throws(SourceFailure) in _ = try reader.read(at: 0, into: &output)
                }.count
            } catch {
                return 0
            }
        }
        #expect(first == 4)
        if !isEarly { try await eventually { source.byteCount == 80_000 } }
        source.require(stream: 2)
        let (bytes, failure) = await all(source)
        #expect(failure == nil && source.growth == nil && source.reception.isReplaced)
        #expect(bytes.prefix(8).elementsEqual(Numbers.bytes(0..<2)) && (isEarly || bytes.count == 80_000))
    }

    @Test("that fall silent are requested again sooner than other sources")
    func silence() async throws {
        #expect(StallLimits().live == .proportional(to: .seconds(10)))
        // Long enough for a busy machine to answer the requests that follow.
        let short = StallLimits.proportional(to: .seconds(4))
        #expect(short.live == short)
        let origin = try await ScriptedOrigin { request in
            let live = Step.head("200 OK", "Connection: close")
            switch request.number {
            case 0: return [live, .send(Numbers.bytes(0..<5000)), .silence]
            default: return [live, .send(Numbers.bytes(4000..<9000)), .close]
            }
        }
        var configuration = HTTPSourceConfiguration(TransferRequest(try ResourceURL(origin.url()), byteLimit: .max))
        configuration.retries.firstPause = .milliseconds(2)
        configuration.stallLimits = short
        configuration.intake = { Numbers() }
        let source = HTTPSource(configuration, loop: loop, cache: RangeCache(byteLimit: 8 << 20))
        let (bytes, failure) = await all(source)
        #expect(bytes == Numbers.bytes(0..<9000) && failure == nil)
    }
}
