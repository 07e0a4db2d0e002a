// SPDX-License-Identifier: Apache-2.0

/// How many pictures those who show them were given.
package struct PicturesHandedOver: Hashable, Sendable {
    /// Where the decoder had put them.
    package private(set) var inPlace: UInt64 = 0
    /// Once more, as they were or as something else.
    package private(set) var copied: UInt64 = 0

    mutating func count(_ reception: Reception) {
        switch reception {
        case .takenInPlace: inPlace += 1
        case .taken: copied += 1
        case .dropped, .gone: break
        }
    }
}
