// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Turns samples of one format into another: sample format, layout, rate (libswresample). No dither.
///
/// Between formats of one rate each sample depends on its own only, so that a block converts the same wherever the
/// converter began.
@safe package struct AudioConverter: ~Copyable {
    private let pointer: OpaquePointer
    private let input: AudioFormat
    private let output: AudioFormat

    private init(pointer: OpaquePointer, input: AudioFormat, output: AudioFormat) {
        unsafe self.pointer = pointer
        self.input = input
        self.output = output
    }

    /// `swr_init`. Channels that the output lacks are mixed into those it has, by the library's standard matrix; a pair at the
    /// back goes to the sides where these are the only pair (`SideMatrix`).
    ///
    /// - Parameter neverClips: a mix is made softer as a whole, so that the loudest samples of all channels together do not
    ///   exceed full scale. Otherwise that holds of integer samples only.
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

    /// The samples that `block` gives; `nil` gives what the filter of a rate conversion still holds, at the end.
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

    /// The planes one behind the other, for as long as the call lasts.
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
