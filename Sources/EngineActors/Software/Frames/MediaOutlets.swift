// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// Where a session's decoded media goes: the front-ends that have attached to it. It outlives the source: one that takes
/// another's place finds it as it was.
///
/// Thread-safety: safe.
package final class MediaOutlets: Sendable {
    /// All who are shown the pictures, as one sink.
    package let pictures = PictureOutlets()
    package let sound = SoundOutlet()
    /// What there is an end to when the session ends.
    /// `nil` once the session is over.
    private let attachments = Locked<[ObjectIdentifier: @Sendable () -> Void]?>([:])

    package init() {}

    /// - Parameter end: called when the session ends.
    /// - Returns: `false` when it has ended.
    func note(_ attachment: AnyObject, end: @escaping @Sendable () -> Void) -> Bool {
        attachments.withLock { attachments in
            attachments?[ObjectIdentifier(attachment)] = end
            return attachments != nil
        }
    }

    func forget(_ attachment: AnyObject) { attachments.withLock { $0?[ObjectIdentifier(attachment)] = nil } }

    /// The session is over, and with it what is attached to it.
    package func end() {
        let ends = attachments.withLock { attachments in
            defer { attachments = nil }
            return attachments.map { Array($0.values) } ?? []
        }
        for end in ends { end() }
    }
}
