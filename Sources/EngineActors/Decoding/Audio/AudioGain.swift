// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// Applies the volume. Ramps between volumes, because a jump would be heard as a click.
struct AudioGain {
    /// How long a change from silence to full volume takes, in seconds.
    private static let length = 0.02

    private var current: Float

    init(_ gain: Double) { current = Float(gain) }

    /// The samples at `gain`, or ramping towards it. `format`: packed floats.
    mutating func apply(_ gain: Double, to block: SampleBlock, _ format: AudioFormat) -> SampleBlock {
        let target = Float(gain)
        if current == target, target == 1 { return block }
        let length = Double(format.rate) * Self.length * Double(abs(target - current))
        let reached = min(Double(block.count) / max(length, 1), 1)
        let end = reached == 1 ? target : current + (target - current) * Float(reached)
        defer { current = end }
        return block.gained(
            from: current,
            to: end,
            within: min(block.count, max(1, Int(length))),
            channels: format.layout.count
        )
    }
}
