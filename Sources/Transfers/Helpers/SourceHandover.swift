// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime

/// A source that a client provides. It can be opened once the client has received its end of the socket.
///
/// Thread-safety: safe.
package final class SourceHandover: Handover {
    private let name = Hexadecimal.text(randomBytes(16))
    private let helpers: SourceHelpers

    /// Reserves nothing: if others have taken the last place by the time this handover begins, it is refused.
    ///
    /// - Throws: `resourceExhausted` if the maximum number of sources is registered.
    package init(in helpers: SourceHelpers) throws(EngineError) {
        try helpers.requirePlace()
        self.helpers = helpers
    }

    /// The URL that clients load.
    package var url: String { SourceHelpers.url(ofRegistered: name) }

    package func begin(_ peer: any HandoverPeer) {
        let isRegistered = helpers.register(as: name) { descriptor in
            peer.send(HandoverMessage(.source), descriptors: [descriptor])
        }
        if !isRegistered { peer.send(HandoverMessage(.over, value: HandoverEnd.refused.rawValue), descriptors: []) }
        peer.close()
    }

    package func asked() {}

    package func ended() {}
}
