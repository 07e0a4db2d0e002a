// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

extension IOContext {
    /// How many bytes are examined.
    private static let probeByteLimit: CUnsignedInt = 64 << 10

    /// The error of `avformat_open_input`.
    ///
    /// - Parameter isIdentifying: whether to read the start again to say what the bytes are.
    func openingError(_ status: CInt, isIdentifying: Bool) -> FFmpegError {
        let failure = takeFailure()
        let format = isIdentifying && failure == nil ? formatName() : nil
        return FFmpegError(status, in: "avformat_open_input", source: failure, format: format)
    }

    /// The format that libavformat recognises in the bytes, whether or not its demuxer is allowed: `a PNG image`, or the
    /// name that libavformat has for it. `nil` if it recognises none, or if the start can no longer be read.
    private func formatName() -> String? {
        guard unsafe avio_seek(pointer, 0, SEEK_SET) == 0 else { return nil }
        var found: UnsafePointer<AVInputFormat>?
        guard unsafe av_probe_input_buffer2(pointer, &found, nil, nil, 0, Self.probeByteLimit) > 0,
            let format = unsafe found, let name = unsafe format.pointee.name
        else { return nil }
        let short = unsafe String(cString: name)
        // The demuxers of single images are called `png_pipe`, "piped png sequence".
        let suffix = "_pipe"
        if short.hasSuffix(suffix) { return "a \(short.dropLast(suffix.count).uppercased()) image" }
        return unsafe format.pointee.long_name.map { unsafe String(cString: $0) } ?? short
    }
}
