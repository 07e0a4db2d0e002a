// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Receives the reports of the engine's own renderer. The closures must return at once.
package struct RendererListener: Sendable {
    /// A report like those of an external renderer: after every change, and once a second during playback.
    package let report: @Sendable (RendererReport) -> Void
    /// A notice for watchers, such as `sound.lost`.
    package let notice: @Sendable (Notice) -> Void
    /// The source cannot be played any further. No report follows.
    package let failed: @Sendable (EngineError) -> Void

    package init(
        report: @escaping @Sendable (RendererReport) -> Void,
        notice: @escaping @Sendable (Notice) -> Void,
        failed: @escaping @Sendable (EngineError) -> Void
    ) {
        self.report = report
        self.notice = notice
        self.failed = failed
    }
}
