// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Testing

@testable import Decoding

/// A renderer that plays a test source, and everything that the renderer reports.
final class RendererHarness: Sendable {
    let source: TestSource
    let renderer: SoftwareRenderer
    private let heard = Locked((reports: [RendererReport](), notices: [Notice](), failure: EngineError?.none))
    private let lastCommand = Locked(UInt64(0))
    private let running: Task<Void, Never>

    init(_ script: TestSource.Script = TestSource.Script()) {
        let source = TestSource(script)
        self.source = source
        let heard = heard
        renderer = SoftwareRenderer(
            listener: RendererListener(
                report: { report in heard.withLock { $0.reports.append(report) } },
                notice: { notice in heard.withLock { $0.notices.append(notice) } },
                failed: { error in heard.withLock { $0.failure = error } }
            ),
            opening: { _ async throws(EngineError) in source }
        )
        let renderer = renderer
        running = Task { await renderer.run() }
    }

    deinit { running.cancel() }

    var reports: [RendererReport] { heard.withLock { $0.reports } }
    var notices: [Notice] { heard.withLock { $0.notices } }
    var failure: EngineError? { heard.withLock { $0.failure } }

    func send(_ actions: RendererCommand.Action...) {
        for action in actions {
            let number = lastCommand.withLock { number -> UInt64 in
                number += 1
                return number
            }
            renderer.receive(RendererCommand(number: number, action: action))
        }
    }

    /// Waits for a matching report after the first `count` reports.
    func report(
        after count: Int = 0,
        where isRight: @Sendable (RendererReport) -> Bool
    ) async throws {
        try await eventually { self.reports.dropFirst(count).contains(where: isRight) }
    }

    func stop() async {
        send(.stop)
        await running.value
    }
}
