// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import NIOCore

/// Decides which clients that do not read are disconnected, so that the bodies of their responses do not fill the
/// memory. A body stays in memory until it has been sent, even if the cache that it came from has dropped it.
struct HeldBodies {
    /// A response that has not been sent completely.
    struct Response {
        let body: ByteBody
        /// The size of the connection's own copy of a piece of the body.
        let copyByteCount: Int
        /// When the client had last accepted a whole piece, or when the response began.
        let progress: NIODeadline
    }

    /// The maximum size of all bodies and copies together, in bytes. A body that several responses send counts once.
    let limit: Int
    /// A client that has not accepted a whole piece for this long counts as one that does not read.
    let patience: Duration

    /// The responses to give up, the one without progress for longest first, until the others are within the limit or
    /// all have made progress within `patience`.
    ///
    /// - Returns: their indices.
    func excess(_ responses: [Response], now: NIODeadline) -> [Int] {
        var holders: [ObjectIdentifier: Int] = [:]
        var byteCount = responses.reduce(0) { $0 + $1.copyByteCount }
        for region in responses.lazy.flatMap(\.body.regions) {
            let others = holders[ObjectIdentifier(region)] ?? 0
            holders[ObjectIdentifier(region)] = others + 1
            byteCount += others == 0 ? region.byteCount : 0
        }
        let oldest = responses.indices.sorted { responses[$0].progress < responses[$1].progress }
        return Array(
            oldest.prefix { index in
                guard byteCount > limit, responses[index].progress + TimeAmount(patience) <= now else { return false }
                byteCount -= responses[index].copyByteCount
                for region in responses[index].body.regions {
                    let left = (holders[ObjectIdentifier(region)] ?? 1) - 1
                    holders[ObjectIdentifier(region)] = left
                    if left == 0 { byteCount -= region.byteCount }
                }
                return true
            }
        )
    }
}
