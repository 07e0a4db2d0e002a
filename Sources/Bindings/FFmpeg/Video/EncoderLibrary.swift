// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// A library that encodes video, by the name of libavcodec's encoder. Whichever is used, the bytes depend only on the
/// frames: not on the processor, its number of cores, or what runs beside the encoder.
package enum EncoderLibrary: String, Hashable, Sendable, CaseIterable {
    case x264 = "libx264"
    case vpx = "libvpx-vp9"
    case svtAV1 = "libsvtav1"

    private static let bidirectionalFrames: CInt = 3

    /// x264: how many frames are encoded at the same time. The same on every machine, because frames refer only to the part of
    /// earlier ones that is complete by then.
    private static let frameThreads: CInt = 4

    /// libvpx: how many columns of tiles are encoded at the same time. Its frames do not depend on the number.
    private static let tileThreads: CInt = 4

    /// x264:
    ///
    /// - `cpu-independent`: no arithmetic that differs between processors.
    /// - `stitchable`: parameter sets that do not depend on the content.
    /// - `lookahead-threads`: one thread on every machine, whatever its number of cores.
    private static let parametersOfX264 = "cpu-independent=1:stitchable=1:lookahead-threads=1:b-pyramid=none"

    /// SVT-AV1: one thread for each stage. Its frames do not depend on the number, as long as its rate control is off.
    private static let parametersOfSVT = "lp=1"

    /// The library's own options.
    func options(for settings: VideoEncoder.Settings) -> [(name: String, value: String)] {
        let quality = ("crf", "\(settings.rateControl.quality)")
        return switch self {
        case .x264:
            [("preset", settings.preset), ("profile", "high"), quality, ("x264-params", Self.parametersOfX264)]
        case .vpx:
            // "realtime" does not measure time: it is a set of methods, among which `cpu-used` selects.
            [
                ("deadline", "realtime"), ("cpu-used", settings.preset), quality, ("lag-in-frames", "0"),
                ("frame-parallel", "0"), ("row-mt", "0"), ("tile-columns", "2"),
            ]
        case .svtAV1: [("preset", settings.preset), quality, ("svtav1-params", Self.parametersOfSVT)]
        }
    }

    /// Whether the library can encode without threads of its own. SVT-AV1 has one for each stage.
    package var canBeSerial: Bool { self != .svtAV1 }

    func threadCount(for settings: VideoEncoder.Settings) -> CInt {
        if settings.isSerial { return 1 }
        return switch self {
        case .x264: settings.rateControl.isLimited ? 1 : Self.frameThreads
        case .vpx: Self.tileThreads
        case .svtAV1: 1
        }
    }

    /// Sets the limits that libavcodec has for all encoders, as far as the library's bytes remain independent of chance: the
    /// rate control of SVT-AV1, and that of x264 with several threads, depend on how far the threads have come.
    func limit(_ context: UnsafeMutablePointer<AVCodecContext>, to settings: VideoEncoder.Settings) {
        switch self {
        case .x264:
            unsafe context.pointee.max_b_frames = settings.reordersFrames ? Self.bidirectionalFrames : 0
            if settings.rateControl.isLimited {
                unsafe context.pointee.rc_max_rate = Int64(settings.rateControl.maximumBitRate)
                unsafe context.pointee.rc_buffer_size = CInt(clamping: settings.rateControl.bufferSize)
            }
            unsafe context.pointee.level = CInt(settings.rateControl.level)
        case .vpx:
            // A bit rate of 0 makes the quality constant.
            unsafe context.pointee.bit_rate = 0
        case .svtAV1:
            unsafe context.pointee.level = CInt(settings.rateControl.level)
        }
    }
}
