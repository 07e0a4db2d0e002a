// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The parts of a title's start that are requested from a server to open the title. Pure.
struct TitleStart {
    /// How much of a DVD's start is examined, at its mean bit rate: enough for its first half second, whose pictures
    /// are often larger than later ones.
    private static let (examinedTime, examinedByteLimit) = (MediaTime.seconds(0.8), Int64(1 << 20))
    /// The number of bytes that the demuxer reads at a time.
    private static let blockByteCount: Int64 = 64 << 10

    /// What examining the streams certainly reads. It is requested first, because it takes longest.
    let first: [Range<Int64>]
    /// What examining the streams may read in addition.
    let later: [Range<Int64>]

    /// - Parameters:
    ///   - byteCount: the length of the title.
    ///   - duration: in ticks of 90 kHz; 0 if unknown.
    init(of kind: TitleSource.Kind, byteCount: Int64, duration: Int64) {
        let (start, next) = (SourceStart.firstBytes[0], SourceStart.firstBytes[1])
        let end = kind == .dvd ? Self.examinedEnd(byteCount, duration) : 0
        let middle = min(max(next.lowerBound, end), next.upperBound)
        first = [start, next.lowerBound..<middle].filter { !$0.isEmpty }
        later = [middle..<next.upperBound, next.upperBound..<max(next.upperBound, end)].filter { !$0.isEmpty }
    }

    private static func examinedEnd(_ byteCount: Int64, _ duration: Int64) -> Int64 {
        guard duration > 0 else { return 0 }
        let needed = Double(byteCount) * examinedTime.seconds / MediaTime(duration, in: .hertz(90_000)).seconds
        let blocks = (min(needed, Double(examinedByteLimit)) / Double(blockByteCount)).rounded(.up)
        return min(byteCount, Int64(blocks) * blockByteCount)
    }
}
