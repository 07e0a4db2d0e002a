// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Puts together what one connection after another delivers of a stream that is sent as it happens. Knows the format of the
/// stream, which this module does not. Called on the transfer thread.
package protocol StreamIntake: Sendable {
    /// Whether another connection can go on where this one ends. `false` until the format is known.
    var canContinue: Bool { get }
    /// What became of the stream so far.
    var reception: StreamReception { get }

    /// Takes bytes of the current connection, and returns those that belong to the stream.
    mutating func take(_ bytes: [UInt8]) -> [UInt8]

    /// The connection is over: what follows is of another one. Returns bytes that were held back.
    mutating func disconnected() -> [UInt8]
}
