// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The renderer in the engine, while a session plays on the software path.
struct SoftwareLink: Sendable {
    /// Of its place as the session's renderer. Those of renderers elsewhere are below.
    static let firstNumber: UInt64 = 1 << 63

    let number: UInt64
    let renderer: SoftwareRenderer
    /// Ends when the renderer is over and nothing that it said is left to be heard.
    let running: Task<Void, Never>
    /// What it plays, once that is open.
    var film: DecodedFilm?
    /// That of the settings, which is heard while nobody who attached takes the sound.
    var device: DeviceSoundSink?
}

/// What the renderer in the engine says: of reports and of failures the latest.
struct SoftwareWords: Sendable {
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

    /// Nothing follows.
    func finish() {
        report.finish()
        failure.finish()
    }
}
