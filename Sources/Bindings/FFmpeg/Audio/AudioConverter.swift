// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Converts samples between formats: sample format, layout and rate (libswresample). No dither.
///
/// Without a change of rate, each output sample depends only on the input sample at the same time, so the result for a
/// block does not depend on where the converter started.
@safe package struct AudioConverter: ~Copyable {
    private let pointer: OpaquePointer
    private let input: AudioFormat
    private let output: AudioFormat

    private init(pointer: OpaquePointer, input: AudioFormat, output: AudioFormat) {
        unsafe self.pointer = pointer
        self.input = input
        self.output = output
    }

    /// Opens a converter (`swr_init`). Channels that the output lacks are mixed into the others by libswresample's
    /// standard matrix, or by `SideMatrix` where it applies.
    ///
    /// - Parameter neverClips: whether to attenuate the whole mix, so that the sum of full-scale channels does not
    ///   exceed full scale. Integer samples are always attenuated.
    package static func open(
        from input: AudioFormat,
        to output: AudioFormat,
        neverClips: Bool = false
    ) throws(FFmpegError) -> AudioConverter {
        var source = unsafe input.layout.native
        var target = unsafe output.layout.native
        var context: OpaquePointer?
        let status = unsafe swr_alloc_set_opts2(
            &context,
            &target,
            output.samples.native,
            CInt(output.rate),
            &source,
            input.samples.native,
            CInt(input.rate),
            0,
            nil
        )
        guard status >= 0, let context = unsafe context else {
            unsafe swr_free(&context)
            throw FFmpegError(min(status, -1), in: "swr_alloc_set_opts2")
        }
        let converter = unsafe AudioConverter(pointer: context, input: input, output: output)
        if neverClips {
            try check(
                unsafe av_opt_set_double(UnsafeMutableRawPointer(context), "rematrix_maxval", 1, 0),
                "av_opt_set_double"
            )
        }
        if let matrix = SideMatrix(from: input, to: output, neverClips: neverClips) {
            let coefficients = try matrix.coefficients()
            try check(
                unsafe coefficients.withUnsafeBufferPointer {
                    unsafe swr_set_matrix(context, $0.baseAddress, CInt(input.layout.count))
                },
                "swr_set_matrix"
            )
        }
        try check(unsafe swr_init(context), "swr_init")
        return converter
    }

    deinit {
        var pointer: OpaquePointer? = unsafe pointer
        unsafe swr_free(&pointer)
    }

    /// Converts `block` and returns the samples. At the end, `nil` returns the samples that the resampler still holds.
    package mutating func convert(_ block: SampleBlock?) throws(FFmpegError) -> SampleBlock {
        let bound = unsafe swr_get_out_samples(pointer, CInt(block?.count ?? 0))
        let limit = Int(try check(bound, "swr_get_out_samples"))
        let size = max(1, limit) * output.stride
        let stride = output.stride
        let planeCount = output.planeCount
        var result = [UInt8](repeating: 0, count: size * planeCount)
        let produced = unsafe result.withUnsafeMutableBufferPointer { buffer in
            var outputs: [UnsafeMutablePointer<UInt8>?] = unsafe []
            for plane in 0..<planeCount { unsafe outputs.append(buffer.baseAddress.map { unsafe $0 + plane * size }) }
            return unsafe outputs.withUnsafeMutableBufferPointer { outputs in
                unsafe Self.withPlanes(block) { inputs in
                    unsafe swr_convert(
                        pointer,
                        outputs.baseAddress,
                        CInt(max(1, limit)),
                        inputs,
                        CInt(block?.count ?? 0)
                    )
                }
            }
        }
        let count = Int(try check(produced, "swr_convert"))
        let planes = (0..<planeCount).map { Array(result[$0 * size..<$0 * size + count * stride]) }
        return SampleBlock(planes: planes, count: count)
    }

    /// Joins the planes and lends pointers to them to `body`.
    private static func withPlanes(
        _ block: SampleBlock?,
        _ body: (UnsafeMutablePointer<UnsafePointer<UInt8>?>?) -> CInt
    ) -> CInt {
        guard let block else { return body(nil) }
        let size = block.planes.first?.count ?? 0
        let joined = block.planes.flatMap { $0 }
        return unsafe joined.withUnsafeBufferPointer { buffer in
            var inputs: [UnsafePointer<UInt8>?] = unsafe []
            for plane in block.planes.indices {
                unsafe inputs.append(buffer.baseAddress.map { unsafe $0 + plane * size })
            }
            return unsafe inputs.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress) }
        }
    }
}
