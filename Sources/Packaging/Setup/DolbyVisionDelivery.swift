// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The form in which Dolby Vision is delivered to the player.
package enum DolbyVisionDelivery: Hashable, Sendable {
    /// Dolby Vision is not signalled: the base layer is served in its own format.
    case baseLayer
    /// The stream is served as described by the record.
    case carried(DolbyVisionConfiguration)
    /// Profile 7: the enhancement layer is removed and the RPUs are rewritten, so that the stream matches the record.
    case converted(DolbyVisionConfiguration)

    package var record: DolbyVisionConfiguration? {
        switch self {
        case .baseLayer: nil
        case .carried(let record), .converted(let record): record
        }
    }
}
