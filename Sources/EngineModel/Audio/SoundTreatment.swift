// SPDX-License-Identifier: Apache-2.0

/// How audio is changed before it is played: in segments, whose audio is then re-encoded, and on the software path.
public struct SoundTreatment: Hashable, Sendable {
    package static let dialogueLifts = 0.0...12.0
    package static let loudnessTargets = -40.0 ... -10.0

    /// Whether quiet passages become louder and loud ones quieter.
    public var isNightMode = false
    /// How much louder dialogue becomes, in dB; 0: not at all.
    public var dialogueLift = 0.0
    /// The integrated loudness to which tracks are brought, in LUFS; `nil`: they keep their own.
    public var loudnessTarget: Double?

    /// Whether audio passes unchanged.
    package var isIdentity: Bool { self == SoundTreatment() }

    public init() {}
}
