// SPDX-License-Identifier: Apache-2.0

/// What becomes of pictures that hold two fields of two moments.
public enum Deinterlacing: String, Hashable, Sendable, CaseIterable {
    /// One picture of each.
    case frame
    /// One of each field: twice as many, half as long.
    case field
    /// They stay as they were decoded.
    case off
}
