// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Finds where the configuration of the leading video changes, without reading every keyframe.
struct ChangeSearch {
    /// The maximum number of changes to find between two sampled keyframes.
    private static let changesPerGap = 16

    let track: PlayedTrack
    /// All keyframes of the track, in presentation order.
    let keyframes: [Keyframe]
    /// The first bytes of a keyframe's packet. Empty when they cannot be read.
    let prefix: (Keyframe) -> [UInt8]

    /// The codec private data that applies from each keyframe that changes it, and the track's own data for the first
    /// keyframe. Empty when nothing changes.
    ///
    /// - Parameter sampled: keyframes that are always inspected. A change that is reverted before the next sampled
    ///   keyframe is missed: its parameter sets stay in band.
    func changes(between sampled: [Keyframe]) -> [Keyframe: [UInt8]] {
        guard track.kind == .video, let first = keyframes.first else { return [:] }
        let codec = track.stream.codec
        var running = ParameterSets(codec: codec, record: track.track.configuration).updated(with: sets(first))
        var found: [Keyframe: [UInt8]] = [:]
        var low = 0
        for place in places(of: sampled) {
            for _ in 0..<Self.changesPerGap {
                guard running.updated(with: sets(keyframes[place])) != running else { break }
                let at = firstChange(after: low, upTo: place, from: running)
                let next = running.updated(with: sets(keyframes[at]))
                let data = next.privateData(codec: codec)
                guard found.count < ConfigurationWatch.limit, track.canChange(to: data) else { break }
                found[keyframes[at]] = data
                running = next
                low = at
            }
            low = place
        }
        if !found.isEmpty { found[first] = track.track.configuration }
        return found
    }

    /// The first keyframe in `(low, high]` that changes the configuration, assuming that a change, once made, persists.
    private func firstChange(after low: Int, upTo high: Int, from running: ParameterSets) -> Int {
        var (low, high) = (low, high)
        while high - low > 1 {
            let middle = (low + high) / 2
            if running.updated(with: sets(keyframes[middle])) != running { high = middle } else { low = middle }
        }
        return high
    }

    private func places(of sampled: [Keyframe]) -> [Int] {
        let wanted = Set(sampled + keyframes.suffix(1))
        return keyframes.indices.dropFirst().filter { wanted.contains(keyframes[$0]) }
    }

    private func sets(_ keyframe: Keyframe) -> ParameterSets {
        ParameterSets(codec: track.stream.codec, transform: track.transform, packet: prefix(keyframe).span)
    }
}
