// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Joins the parts of a live stream that successive connections deliver. Implementations know the format of the stream,
/// which this module does not. Called on the transfer thread.
package protocol StreamIntake: Sendable {
    /// Whether another connection can continue the stream. `false` until the format is known.
    var canContinue: Bool { get }
    /// The reconnections, gaps and errors of the stream so far.
    var reception: StreamReception { get }

    /// Makes the stream end where an elementary stream continues in another codec. `reception.isReplaced` states that
    /// this has happened.
    mutating func require(stream: Int)

    /// Takes bytes of the current connection, and returns those that are new in the stream.
    mutating func take(_ bytes: [UInt8]) -> [UInt8]

    /// Call when the connection has ended; later bytes belong to another connection. Returns the bytes that were held
    /// back.
    mutating func disconnected() -> [UInt8]
}
