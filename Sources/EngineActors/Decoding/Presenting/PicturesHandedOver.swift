// SPDX-License-Identifier: Apache-2.0

/// How many frames were given to the sinks that show them.
package struct PicturesHandedOver: Hashable, Sendable {
    /// In the place where the decoder had put them.
    package private(set) var inPlace: UInt64 = 0
    /// Copied, as they were or converted.
    package private(set) var copied: UInt64 = 0

    mutating func count(_ reception: Reception) {
        switch reception {
        case .takenInPlace: inPlace += 1
        case .taken: copied += 1
        case .dropped, .gone: break
        }
    }
}
