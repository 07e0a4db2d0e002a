// SPDX-License-Identifier: Apache-2.0

/// How frames that hold two fields from different times are handled.
public enum Deinterlacing: String, Hashable, Sendable, CaseIterable {
    /// One output frame per input frame.
    case frame
    /// One output frame per field: twice as many frames, each half as long.
    case field
    /// Frames are output as decoded.
    case off
}
