// SPDX-License-Identifier: Apache-2.0

internal import Decoding
internal import EngineModel

/// The engine's own renderer, while a session plays on the software path.
struct SoftwareLink: Sendable {
    /// The engine's own renderers have numbers above this one, renderers outside the engine numbers below it.
    static let firstNumber: UInt64 = 1 << 63

    let number: UInt64
    let renderer: SoftwareRenderer
    /// Ends when the renderer has ended and all of its reports have been handled.
    let running: Task<Void, Never>
    /// The decoded source, once it is open.
    var film: DecodedFilm?
    /// The audio device of the settings, which plays only while no other audio sink is attached.
    var device: DeviceSoundSink?
}

/// The reports and failures of the engine's own renderer. Each stream keeps only the latest element.
struct SoftwareReports: Sendable {
    let reports: AsyncStream<RendererReport>
    let failures: AsyncStream<EngineError>
    private let report: AsyncStream<RendererReport>.Continuation
    private let failure: AsyncStream<EngineError>.Continuation

    init() {
        (reports, report) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (failures, failure) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func listener(_ notice: @escaping @Sendable (Notice) -> Void) -> RendererListener {
        RendererListener(
            report: { [report] in report.yield($0) },
            notice: notice,
            failed: { [failure] in failure.yield($0) }
        )
    }

    /// Ends both streams.
    func finish() {
        report.finish()
        failure.finish()
    }
}
