// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// A video encoder of libavcodec, by its name: a library on the processor, or a device.
///
/// The bytes of a library depend only on the frames and the settings: not on the processor, its number of cores, or
/// what runs beside the encoder. The bytes of a device also depend on the device and its driver.
package enum EncoderLibrary: String, Hashable, Sendable, CaseIterable {
    case x264 = "libx264"
    case vpx = "libvpx-vp9"
    case svtAV1 = "libsvtav1"
    case vaapi = "h264_vaapi"
    case nvenc = "h264_nvenc"

    /// The encoders on the processor.
    package static let libraries: [EncoderLibrary] = [.x264, .vpx, .svtAV1]
    /// The encoders on devices, in the order in which they are tried. All encode H.264.
    package static let devices: [EncoderLibrary] = [.vaapi, .nvenc]

    private static let bidirectionalFrames: CInt = 3

    /// x264: how many frames are encoded at the same time. The bytes depend on the number, because a frame refers only
    /// to those parts of earlier frames that are complete by then; so it is the same on every machine.
    private static let frameThreads: CInt = 4

    /// libvpx: how many columns of tiles are encoded at the same time. The bytes do not depend on the number.
    private static let tileThreads: CInt = 4

    /// x264:
    ///
    /// - `cpu-independent`: no arithmetic that differs between processors.
    /// - `stitchable`: parameter sets that do not depend on the content.
    /// - `lookahead-threads`: one thread on every machine, whatever its number of cores.
    /// - `b-pyramid`: no frame refers to a B-frame.
    private static let parametersOfX264 = "cpu-independent=1:stitchable=1:lookahead-threads=1:b-pyramid=none"

    /// SVT-AV1: one thread for each stage. The bytes do not depend on the number as long as rate control is off.
    private static let parametersOfSVT = "lp=1"

    /// How messages name a device. `nil` for a library.
    package var deviceName: String? {
        switch self {
        case .x264, .vpx, .svtAV1: nil
        case .vaapi: "VAAPI"
        case .nvenc: "NVENC"
        }
    }

    /// The device to whose memory frames are copied before they are encoded. `nil` if the encoder takes frames from
    /// this process's memory: NVENC copies them itself.
    var frameDevice: HardwareDevice.Kind? { self == .vaapi ? .vaapi : nil }

    /// Whether the encoder writes the captions of frames into the pictures.
    package var carriesCaptions: Bool { self == .x264 || self == .nvenc }

    /// Whether a model of the decoder's buffer can limit a segment's bit rate (`RateControl.isLimited`). Without one,
    /// the quality is constant.
    package var hasBufferModel: Bool { self == .x264 }

    /// The encoder's private options.
    func options(for settings: VideoEncoder.Settings) -> [(name: String, value: String)] {
        let value = "\(settings.rateControl.quality)"
        let quality = ("crf", value)
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
        case .vaapi: [("profile", "high"), ("rc_mode", "CQP"), ("qp", value), ("sei", "0")]
        // NVENC does not know the presets of x264.
        case .nvenc: [("profile", "high"), ("preset", "p4"), ("rc", "constqp"), ("qp", value), ("a53cc", "1")]
        }
    }

    /// Whether the calling thread can do all of the encoder's work on the processor. SVT-AV1 has one thread for each
    /// stage.
    package var canBeSerial: Bool { self != .svtAV1 }

    func threadCount(for settings: VideoEncoder.Settings) -> CInt {
        if settings.isSerial { return 1 }
        return switch self {
        case .x264: settings.rateControl.isLimited ? 1 : Self.frameThreads
        case .vpx: Self.tileThreads
        case .svtAV1, .vaapi, .nvenc: 1
        }
    }

    /// Sets those limits of `AVCodecContext` that do not make the bytes depend on chance: the rate control of SVT-AV1,
    /// and that of x264 with several threads, depend on how far the threads have come.
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
        case .vaapi, .nvenc:
            // Not all devices encode B-frames.
            unsafe context.pointee.max_b_frames = 0
            unsafe context.pointee.level = CInt(settings.rateControl.level)
        }
    }
}
