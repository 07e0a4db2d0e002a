// SPDX-License-Identifier: Apache-2.0

package import EngineModel
package import EngineRuntime

/// The other end of the side socket, as the engine sees it.
package final class RecordingPeer: HandoverPeer {
    package let messages = Locked<[HandoverMessage]>([])
    package let isClosed = Locked(false)
    /// Called while the descriptors are valid, so that it can map the memory as a front-end would.
    private let map: @Sendable ([CInt]) -> Void

    package init(_ map: @escaping @Sendable ([CInt]) -> Void = { _ in }) { self.map = map }

    package func send(_ message: HandoverMessage, descriptors: [CInt]) -> Bool {
        messages.withLock { $0.append(message) }
        if !descriptors.isEmpty { map(descriptors) }
        return true
    }

    package func close() { isClosed.withLock { $0 = true } }
}
