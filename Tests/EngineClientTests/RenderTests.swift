// SPDX-License-Identifier: Apache-2.0

import EngineClient
import EngineRuntime
import IPCTestKit
import Testing

@Suite("Rendering over the socket", .timeLimit(.minutes(10)))
struct RenderTests {
    @Test("commands arrive in order, and the renderer's reports reach the engine")
    func commandsAndReports() async throws {
        try await withClient { service, client in
            let state = service.addSession()
            let renderer = await client.attach(RendererOffer(session: nil, name: "screen"))
            var commands = renderer.commands.makeAsyncIterator()
            let load = RendererCommand(number: 1, action: .load(url: state.url, position: .zero))
            #expect(try await commands.next() == load)
            #expect(try await commands.next() == RendererCommand(number: 2, action: .pause))
            let sink = try #require(service.world.withLock { $0.renderers.values.first })
            sink.receive(RendererCommand(number: 3, action: .seek(id: 7, position: .seconds(3))))
            #expect(
                try await commands.next() == RendererCommand(number: 3, action: .seek(id: 7, position: .seconds(3)))
            )

            var report = RendererReport(position: .seconds(3), rate: 1)
            report.seekID = 7
            report.lastCommand = 3
            report.buffered = [MediaTimeRange(start: .zero, end: .seconds(9))]
            await renderer.report(report)
            while service.world.withLock({ $0.reports.last }) != report { await Task.yield() }
        }
    }

    @Test("when a renderer detaches, the engine removes it and its commands end")
    func detaches() async throws {
        try await withClient { service, client in
            service.addSession()
            let renderer = await client.attach(RendererOffer(session: nil, name: "screen"))
            var commands = renderer.commands.makeAsyncIterator()
            for _ in 0..<2 { _ = try await commands.next() }
            renderer.detach()
            #expect(try await commands.next() == nil)
            while !service.world.withLock({ $0.renderers.isEmpty }) { await Task.yield() }
            // Too late to have an effect, and harmless.
            await renderer.report(RendererReport(position: .zero, rate: 0))
        }
    }

    @Test("a renderer that is released is detached")
    func letsGo() async throws {
        try await withClient { service, client in
            service.addSession()
            do {
                let renderer = await client.attach(RendererOffer(session: nil, name: "screen"))
                var commands = renderer.commands.makeAsyncIterator()
                _ = try await commands.next()
            }
            while !service.world.withLock({ $0.renderers.isEmpty }) { await Task.yield() }
        }
    }

    @Test("the end of the session ends the commands, with the reason if there is one", arguments: [false, true])
    func ends(isConflict: Bool) async throws {
        try await withClient { service, client in
            service.addSession()
            let renderer = await client.attach(RendererOffer(session: nil, name: "screen"))
            var commands = renderer.commands.makeAsyncIterator()
            for _ in 0..<2 { _ = try await commands.next() }
            let sink = try #require(service.world.withLock { $0.renderers.values.first })
            let conflict = EngineError(.rendererConflict, "another renderer took the session")
            sink.end(isConflict ? conflict : nil)
            do throws(EngineClientError) {
                let command = try await commands.next()
                #expect(command == nil && !isConflict)
            } catch {
                #expect(isConflict && error.code == .rendererConflict)
            }
        }
    }

    @Test("reading the commands throws if the session does not exist")
    func unknown() async throws {
        try await withClient { _, client in
            let offer = RendererOffer(session: SessionID(rawValue: "nobody"), name: "screen")
            let renderer = await client.attach(offer)
            var commands = renderer.commands.makeAsyncIterator()
            do throws(EngineClientError) {
                _ = try await commands.next()
                Issue.record("no error")
            } catch {
                #expect(error.code == .sessionNotFound)
            }
        }
    }
}
