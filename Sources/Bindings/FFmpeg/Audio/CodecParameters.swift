// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// A copy of a stream's codec parameters, for decoders that outlive the container's context.
@safe package final class CodecParameters: Sendable {
    // SAFETY: written only by the initializer and only read afterwards.
    private nonisolated(unsafe) let pointer: UnsafeMutablePointer<AVCodecParameters>

    /// The time base of the stream's packets.
    let timeBase: (numerator: CInt, denominator: CInt)

    /// Empty parameters, for a stream about which nothing is known.
    package init() {
        unsafe pointer = allocated(avcodec_parameters_alloc(), by: "avcodec_parameters_alloc")
        timeBase = (1, 1)
    }

    /// Copies the parameters of `stream` (`avcodec_parameters_copy`).
    init(copying stream: UnsafePointer<AVStream>) throws(FFmpegError) {
        unsafe pointer = allocated(avcodec_parameters_alloc(), by: "avcodec_parameters_alloc")
        timeBase = unsafe (stream.pointee.time_base.num, stream.pointee.time_base.den)
        try check(
            unsafe avcodec_parameters_copy(pointer, stream.pointee.codecpar),
            "avcodec_parameters_copy"
        )
    }

    /// A copy with `text` as its `extradata`, for decoders that need text there.
    package init(_ other: CodecParameters, privateText text: String) throws(FFmpegError) {
        unsafe pointer = allocated(avcodec_parameters_alloc(), by: "avcodec_parameters_alloc")
        timeBase = other.timeBase
        try check(
            unsafe other.withPointer { unsafe avcodec_parameters_copy(pointer, $0) },
            "avcodec_parameters_copy"
        )
        let bytes = Array(text.utf8)
        let count = bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)
        let memory = unsafe allocated(av_mallocz(count)?.assumingMemoryBound(to: UInt8.self), by: "av_mallocz")
        for (place, byte) in bytes.enumerated() { unsafe memory[place] = byte }
        unsafe av_freep(&pointer.pointee.extradata)
        unsafe pointer.pointee.extradata = memory
        unsafe pointer.pointee.extradata_size = CInt(bytes.count)
    }

    /// A copy for packets whose times are in ticks of another time base.
    package init(_ other: CodecParameters, timeBase: TimeBase) throws(FFmpegError) {
        unsafe pointer = allocated(avcodec_parameters_alloc(), by: "avcodec_parameters_alloc")
        self.timeBase = (CInt(clamping: timeBase.numerator), CInt(clamping: timeBase.denominator))
        try check(
            unsafe other.withPointer { unsafe avcodec_parameters_copy(pointer, $0) },
            "avcodec_parameters_copy"
        )
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecParameters>? = unsafe pointer
        unsafe avcodec_parameters_free(&pointer)
    }

    /// Lends the C struct to `body`. C must not write to it.
    @unsafe func withPointer<Value>(_ body: (UnsafePointer<AVCodecParameters>) -> Value) -> Value {
        unsafe body(UnsafePointer(pointer))
    }
}

extension FormatContext {
    /// A copy of one stream's parameters as libavformat knows them now.
    package func codecParameters(of stream: Int) throws(FFmpegError) -> CodecParameters {
        guard stream >= 0, stream < streamCount, let info = unsafe pointer.pointee.streams[stream] else {
            throw FFmpegError(CFFmpegErrorStreamNotFound, in: "avcodec_parameters_copy")
        }
        return try unsafe CodecParameters(copying: info)
    }
}
