// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Who hears what the renderer in the engine has to say. The closures only note what they hear and return.
package struct RendererListener: Sendable {
    /// As an external renderer reports: after every change, and once a second while it plays.
    package let report: @Sendable (RendererReport) -> Void
    /// Something that watchers are told of, such as `sound.lost`.
    package let notice: @Sendable (Notice) -> Void
    /// The source cannot be played on; nothing follows.
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
