// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The smaller sizes of a video that players may switch to. Pure.
package enum VideoLadder {
    /// One of the sizes, before the size of the source's frames is known.
    package struct Rung: Hashable, Sendable {
        /// The number of lines if the video has the shape 16:9. Video of another shape fits into a rectangle of that
        /// size, video in portrait format into the same rectangle turned by 90°.
        package let lines: Int
        /// The average bit rate of the source if its video is remuxed, in bits per second. 0 if unknown, or if its
        /// video is encoded.
        package let sourceBitRate: UInt64
        /// Whether the frames of the video that the session plays are decoded in another order than they are shown. If
        /// not, those of the rung are not either: players that switch would take the delay for a gap.
        package let reordersFrames: Bool

        package init(lines: Int, sourceBitRate: UInt64, reordersFrames: Bool = true) {
            self.lines = lines
            self.sourceBitRate = sourceBitRate
            self.reordersFrames = reordersFrames
        }

        /// In pixels.
        var box: (long: Int, short: Int) { ((lines * 16 + 8) / 9, lines) }

        /// The largest bit rate, in bits per second: 4.5 Mbit/s for 1280x720 at 30 frames per second. It is below the
        /// bit rate of a source whose video is remuxed: otherwise players on slow links would have no reason to use the
        /// rung.
        ///
        /// - Parameters:
        ///   - area: of the rung, in pixels.
        ///   - rate: frames per second.
        ///   - scale: the width of the rung divided by that of the source.
        func bitRate(area: Double, rate: Double, scale: Double) -> Int {
            let usual = 11.8 * pow34(area * rate)
            let source = sourceBitRate == 0 ? usual : Double(sourceBitRate) * pow34(scale * scale)
            return max(Self.lowestBitRate, Int((min(usual, source) / 10_000).rounded()) * 10_000)
        }

        private static let lowestBitRate = 100_000

        /// Bit rates for the same quality grow with this power of the number of pixels, because larger frames are
        /// smoother.
        private func pow34(_ value: Double) -> Double { (value * value * value).squareRoot().squareRoot() }
    }

    /// Larger sizes are not encoded in real time.
    private static let largestLines = 1080

    /// The sizes to encode: those of `lines` that are smaller than the video as it is served.
    ///
    /// - Parameters:
    ///   - lines: as requested.
    ///   - description: of the stream, with its route.
    ///   - setup: of the packets that are served.
    ///   - isRemuxed: whether the video is remuxed, not bridged.
    ///   - isLive: whether the source is still growing.
    ///   - sourceBitRate: of the source, in bits per second. 0 if unknown.
    /// - Returns: the sizes, and the codec to encode them to: players switch only between videos of one codec.
    /// - Throws: `unsupportedFeature` if a player cannot switch between the video and smaller sizes of it, or if there
    ///   are none.
    package static func rungs(
        _ lines: [Int],
        of description: StreamDescription,
        _ setup: TrackSetup,
        isRemuxed: Bool,
        isLive: Bool,
        sourceBitRate: UInt64,
        profile: PlayerProfile
    ) throws(PackagingError) -> (codec: EncodedCodec, rungs: [Rung]) {
        let codec = try codec(of: description, isLive: isLive, profile)
        let video = setup.track.video ?? VideoProperties()
        let crop = video.cropping.fits(width: video.width, height: video.height) ? video.cropping : Cropping()
        let (width, height) = (video.width - crop.left - crop.right, video.height - crop.top - crop.bottom)
        let rungs = rungs(
            lines,
            below: (width, height),
            sourceBitRate: isRemuxed ? sourceBitRate : 0,
            reordersFrames: setup.reorderDepth > 0
        ).filter { rung in
            let target = VideoTarget(codec, width: width, height: height, frameRate: nil, rung: rung)
            return min(target.width, target.height) >= codec.smallestSide
        }
        guard !rungs.isEmpty else {
            throw PackagingError(.unsupportedFeature, "no size of the ladder is below \(width)x\(height)")
        }
        return (codec, rungs)
    }

    static func rungs(
        _ lines: [Int],
        below size: (width: Int, height: Int),
        sourceBitRate: UInt64,
        reordersFrames: Bool = true
    ) -> [Rung] {
        let (long, short) = (max(size.width, size.height), min(size.width, size.height))
        return Set(lines.map { min($0, largestLines) }).sorted(by: >)
            .map { Rung(lines: $0, sourceBitRate: sourceBitRate, reordersFrames: reordersFrames) }
            .filter { long > $0.box.long || short > $0.box.short }
    }

    /// The codec of the smaller sizes of a video.
    ///
    /// - Throws: `unsupportedFeature` if a player cannot switch between the video and them.
    private static func codec(
        of description: StreamDescription,
        isLive: Bool,
        _ profile: PlayerProfile
    ) throws(PackagingError) -> EncodedCodec {
        func refusal(_ reason: String) -> PackagingError { PackagingError(.unsupportedFeature, reason) }
        if isLive { throw refusal("the source is still growing") }
        guard description.route.isServed, let delivery = description.delivery else { throw refusal("it is not served") }
        guard let codec = EncodedCodec(entry: delivery.sampleEntry) else {
            throw refusal("it is served as \(delivery.sampleEntry), and smaller sizes would be of another codec")
        }
        guard profile.formats.contains(codec.entry.rawValue) else {
            throw refusal("\(profile.label) does not play \(codec.name)")
        }
        if let format = delivery.videoFormat, format != .sdr {
            throw refusal("it is served as \(format.name), and smaller sizes would be SDR")
        }
        return codec
    }
}
