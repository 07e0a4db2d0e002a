// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Joins what successive connections deliver of a live stream. It knows the format of the stream, which this module
/// does not. Called on the transfer thread.
package protocol StreamIntake: Sendable {
    /// Whether another connection can go on where this one ends. `false` until the format is known.
    var canContinue: Bool { get }
    /// How the stream has been received so far.
    var reception: StreamReception { get }

    /// Takes bytes of the current connection, and returns those that belong to the stream.
    mutating func take(_ bytes: [UInt8]) -> [UInt8]

    /// The connection is over, and what follows comes from another one. Returns bytes that were held back.
    mutating func disconnected() -> [UInt8]
}
