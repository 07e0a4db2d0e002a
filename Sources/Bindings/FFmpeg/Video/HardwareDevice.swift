// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// A hardware device that decodes and encodes, which any number of decoders and encoders can share.
@safe package final class HardwareDevice: Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case vaapi, cuda

        var native: AVHWDeviceType {
            switch self {
            case .vaapi: AV_HWDEVICE_TYPE_VAAPI
            case .cuda: AV_HWDEVICE_TYPE_CUDA
            }
        }
    }

    package let kind: Kind
    // SAFETY: set once; `AVBufferRef` counts atomically, and libavutil locks the device itself.
    private nonisolated(unsafe) let reference: UnsafeMutablePointer<AVBufferRef>

    private init(_ kind: Kind, taking reference: UnsafeMutablePointer<AVBufferRef>) {
        self.kind = kind
        unsafe self.reference = reference
    }

    deinit {
        var reference: UnsafeMutablePointer<AVBufferRef>? = unsafe reference
        unsafe av_buffer_unref(&reference)
    }

    private static let vaapi = Result { () throws(FFmpegError) in try open(.vaapi) }
    private static let cuda = Result { () throws(FFmpegError) in try open(.cuda) }

    /// The system's first device of a kind. It is opened once; a failure is remembered and not retried.
    package static func shared(_ kind: Kind) throws(FFmpegError) -> HardwareDevice {
        switch kind {
        case .vaapi: try vaapi.get()
        case .cuda: try cuda.get()
        }
    }

    /// `av_hwdevice_ctx_create`.
    private static func open(_ kind: Kind) throws(FFmpegError) -> HardwareDevice {
        assertMayBlock("av_hwdevice_ctx_create")
        var reference: UnsafeMutablePointer<AVBufferRef>?
        let status = unsafe av_hwdevice_ctx_create(&reference, kind.native, nil, nil, 0)
        try check(status, "av_hwdevice_ctx_create")
        return unsafe HardwareDevice(kind, taking: allocated(reference, by: "av_hwdevice_ctx_create"))
    }

    /// A new reference, which the caller owns.
    func shared() -> UnsafeMutablePointer<AVBufferRef> {
        unsafe allocated(av_buffer_ref(reference), by: "av_buffer_ref")
    }

    /// Memory of the device for frames that are encoded (`av_hwframe_ctx_init`). The caller owns the reference.
    ///
    /// - Throws: if the device does not take frames of this size.
    func frames(width: Int, height: Int) throws(FFmpegError) -> UnsafeMutablePointer<AVBufferRef> {
        assertMayBlock("av_hwframe_ctx_init")
        var frames: UnsafeMutablePointer<AVBufferRef>? = unsafe allocated(
            av_hwframe_ctx_alloc(reference),
            by: "av_hwframe_ctx_alloc"
        )
        unsafe cffmpeg_describe_frames(frames, CInt(width), CInt(height))
        let status = unsafe av_hwframe_ctx_init(frames)
        guard status >= 0, let made = unsafe frames else {
            unsafe av_buffer_unref(&frames)
            throw FFmpegError(status, in: "av_hwframe_ctx_init")
        }
        return unsafe made
    }

    /// Whether libavcodec decodes `codec` on devices of a kind.
    package static func decodes(_ codec: CodecID, on kind: Kind) -> Bool {
        guard let descriptor = unsafe avcodec_descriptor_get_by_name(codec.rawValue) else { return false }
        return unsafe decoder(of: descriptor.pointee.id, on: kind) != nil
    }

    /// A decoder that uses devices of a kind (`avcodec_get_hw_config`).
    static func decoder(of codec: AVCodecID, on kind: Kind) -> UnsafePointer<AVCodec>? {
        var place: UnsafeMutableRawPointer?
        while let candidate = unsafe av_codec_iterate(&place) {
            guard unsafe candidate.pointee.id == codec, unsafe av_codec_is_decoder(candidate) != 0 else { continue }
            var index: CInt = 0
            while let config = unsafe avcodec_get_hw_config(candidate, index) {
                let usesDevice = unsafe Int(config.pointee.methods) & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX != 0
                if usesDevice, unsafe config.pointee.device_type == kind.native { return unsafe candidate }
                index += 1
            }
        }
        return nil
    }
}

extension VideoFrame {
    /// The frame in this process's memory: itself, or a copy from a device's memory (`av_hwframe_transfer_data`).
    func fetched() throws(FFmpegError) -> VideoFrame {
        try unsafe withPointer { (frame) throws(FFmpegError) in
            guard unsafe frame.pointee.hw_frames_ctx != nil else { return self }
            let copy = unsafe allocated(av_frame_alloc(), by: "av_frame_alloc")
            let result = unsafe VideoFrame(taking: copy)
            try check(unsafe av_hwframe_transfer_data(copy, frame, 0), "av_hwframe_transfer_data")
            try check(unsafe av_frame_copy_props(copy, frame), "av_frame_copy_props")
            return result
        }
    }
}
