// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The part of video usability information (VUI) that H.264 (§E.1.1) and H.265 (§E.2.1) share.
struct DisplayParameters: Hashable, Sendable {
    var sampleAspectRatio: Ratio?
    var color = ColorDescription()
    var frameRate: Ratio?

    /// aspect_ratio_idc 1 to 16, Table E-1.
    private static let aspectRatios = [
        Ratio(1, 1), Ratio(12, 11), Ratio(10, 11), Ratio(16, 11), Ratio(40, 33), Ratio(24, 11), Ratio(20, 11),
        Ratio(32, 11), Ratio(80, 33), Ratio(18, 11), Ratio(15, 11), Ratio(64, 33), Ratio(160, 99), Ratio(4, 3),
        Ratio(3, 2), Ratio(2, 1),
    ]
    private static let extendedAspectRatio = 255

    mutating func readAspectRatio(_ reader: inout BitReader) throws(PackagingError) {
        guard try reader.flag() else { return }
        let index = try reader.int(8)
        if index == Self.extendedAspectRatio {
            let ratio = Ratio(try reader.int(16), try reader.int(16))
            if ratio.numerator > 0, ratio.denominator > 0 { sampleAspectRatio = ratio }
        } else if index > 0, index <= Self.aspectRatios.count {
            sampleAspectRatio = Self.aspectRatios[index - 1]
        }
    }

    /// Reads video_signal_type, starting at its presence flag.
    mutating func readColour(_ reader: inout BitReader) throws(PackagingError) {
        guard try reader.flag() else { return }
        try reader.skip(3)
        color.isFullRange = try reader.flag()
        guard try reader.flag() else { return }
        color.primaries = try reader.int(8)
        color.transfer = try reader.int(8)
        color.matrix = try reader.int(8)
    }

    /// `nil` unless the result is a frame rate between 1/10 and 1000 frames per second.
    static func rate(_ numerator: Int, _ denominator: Int) -> Ratio? {
        guard numerator > 0, denominator > 0 else { return nil }
        let ratio = Ratio(numerator, denominator).reduced
        return ratio.value >= 0.1 && ratio.value <= 1000 ? ratio : nil
    }
}
