// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// A limit for the size of bridged video, on machines that do not encode the full size in real time. Pure.
package struct BridgeSize: Hashable, Sendable {
    /// The lines of pictures that fill 16:9. Pictures of another shape fit into that frame.
    package let lines: Int

    package init(lines: Int) { self.lines = lines }

    /// No limit, for a machine that is fast enough. It has a number of lines, which no encoded video exceeds, so that a
    /// session can have it as an option.
    package static let unlimited = BridgeSize(lines: LoadOptions.ladderLines.upperBound)

    /// What is tried after `unlimited`, in this order. The first keeps the usual size and changes the preset only.
    package static let attempts = [1080, 720, 540, 360].map { BridgeSize(lines: $0) }

    /// How much faster than real time the machine has to be: playback also needs the network, audio and the front-end.
    private static let margin = 1.2

    /// The frames per second that a machine decodes and encodes if several segments are encoded at the same time. `nil`
    /// if there was nothing to measure.
    ///
    /// - Parameters:
    ///   - frames: how many were decoded and encoded.
    ///   - nanoseconds: the time that they took.
    ///   - segments: how many are encoded at the same time, without slowing each other down.
    package static func speed(frames: Int, nanoseconds: Int64, segments: Int) -> Double? {
        guard frames > 0 else { return nil }
        return Double(frames * segments) * 1e9 / Double(max(1, nanoseconds))
    }

    /// Whether the machine encodes a video in real time.
    ///
    /// - Parameters:
    ///   - speed: frames per second.
    ///   - target: what was encoded at that speed.
    package static func holds(_ speed: Double, for target: VideoTarget) -> Bool {
        speed >= target.frameRate.value * margin
    }

    /// A speed that is below real time.
    package struct Slowness: Hashable, Sendable {
        /// What was encoded.
        package let target: VideoTarget
        /// Frames per second.
        package let speed: Double
    }

    /// The bridge with the largest size, and then the slowest preset, with which the machine holds real time; the
    /// smallest one if it never does.
    ///
    /// - Parameters:
    ///   - make: returns the bridge with a size.
    ///   - target: returns the target of a bridge.
    ///   - measured: measures a bridge, in frames per second. `nil` if that is not needed or not possible.
    /// - Returns: the bridge, its size, and the last bridge that was too slow, with its speed; `nil` if none was.
    /// - Throws: what `make` throws for the usual size.
    package static func chosen<Bridge>(
        make: (BridgeSize) throws(PackagingError) -> Bridge,
        target: (Bridge) -> VideoTarget,
        speed measured: (Bridge) -> Double?
    ) throws(PackagingError) -> (bridge: Bridge, size: BridgeSize, slow: Slowness?) {
        var found = (bridge: try make(unlimited), size: unlimited, slow: Slowness?.none)
        var sizes = attempts[...]
        while !sizes.isEmpty {
            let current = target(found.bridge)
            guard let speed = measured(found.bridge), !holds(speed, for: current) else { break }
            while let next = sizes.popFirst() {
                guard let smaller = made(make, next), target(smaller) != current else { continue }
                found = (smaller, next, Slowness(target: current, speed: speed))
                break
            }
        }
        return found
    }

    /// The bridge with a smaller size. `nil` if the encoder does not support the size: pictures of an extreme shape
    /// become too small.
    private static func made<Bridge>(
        _ make: (BridgeSize) throws(PackagingError) -> Bridge,
        _ size: BridgeSize
    ) -> Bridge? {
        do throws(PackagingError) {
            return try make(size)
        } catch {
            return nil
        }
    }

    /// In pixels. `nil` if no encoded video exceeds the size: the largest have 1080 lines, or 1088 if the source does
    /// not crop them.
    var box: (long: Int, short: Int)? { lines < 1080 ? ((lines * 16 + 8) / 9, lines) : nil }
}
