// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// A negative `AVERROR` code that one of FFmpeg's libraries returned.
package struct FFmpegError: Error, Hashable, Sendable {
    /// The raw code. It is always negative.
    package let code: CInt

    /// The C function that failed, for the log line.
    package let function: String

    /// The error of reading the source, if it made the call fail.
    package let source: EngineError?

    /// What libavformat takes the bytes for, such as `a PNG image`, if it does not open them.
    package let format: String?

    package init(_ code: CInt, in function: String, source: EngineError? = nil, format: String? = nil) {
        self.code = code
        self.function = function
        self.source = source
        self.format = format
    }

    /// The error of a read that failed outside libavformat, in the form of a failed `av_read_frame`.
    package init(reading failure: EngineError) {
        self.init(
            failure.code == .cancelled ? CFFmpegErrorExit : CFFmpegErrorInvalidData,
            in: "av_read_frame",
            source: failure
        )
    }

    /// The error of work that was stopped by its caller.
    package static let interruption = FFmpegError(CFFmpegErrorExit, in: "a loop over packets")

    /// Whether the call ended because its `InterruptFlag` was raised.
    package var isInterruption: Bool { code == CFFmpegErrorExit }
}

extension FFmpegError: CustomStringConvertible {
    package var description: String {
        let message = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            unsafe av_strerror(code, buffer.baseAddress, buffer.count)
            return unsafe String(decoding: UnsafeRawBufferPointer(buffer).prefix { $0 != 0 }, as: UTF8.self)
        }
        return "\(function): \(message)"
    }
}

/// Throws a typed error for a negative C status.
@discardableResult
func check(_ status: CInt, _ function: String) throws(FFmpegError) -> CInt {
    guard status >= 0 else { throw FFmpegError(status, in: function) }
    return status
}
