// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Times of samples that follow each other, by their count: what containers say of single frames is rounded. Only a real gap
/// moves them. Pure.
struct SampleClock {
    /// What a container's times may be off.
    static let tolerance = MediaTime.seconds(0.1)

    private var anchor: MediaTime?
    private var count: Int64 = 0
    private var rate = 0

    struct Place: Hashable {
        let time: MediaTime
        /// Whether it does not follow the samples before.
        let isDiscontinuous: Bool
    }

    /// Takes the next samples and says where they are heard.
    ///
    /// - Parameters:
    ///   - time: as the source says, if it does.
    ///   - rate: samples a second.
    mutating func place(_ samples: Int, rate newRate: Int, at time: MediaTime?) -> Place {
        let expected = end
        let isGap = if let time, let expected { (time - expected).distance > Self.tolerance } else { expected == nil }
        if isGap || newRate != rate {
            anchor = isGap ? time ?? .zero : expected
            count = 0
            rate = newRate
        }
        let start = end ?? .zero
        count += Int64(samples)
        return Place(time: start, isDiscontinuous: isGap)
    }

    /// Where the next samples are heard.
    private var end: MediaTime? {
        anchor.map { $0 + MediaTime(count, in: .hertz(Int64(max(1, rate)))) }
    }
}

extension MediaTime {
    fileprivate var distance: MediaTime { self < .zero ? .zero - self : self }
}
