// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// A mixing matrix for a source with a back pair but no side pair, and a target with a side pair and a back centre
/// channel but no back pair: the back pair goes to the side pair. libswresample's standard matrix would play both
/// channels from the single back speaker.
struct SideMatrix {
    private static let backPair = ChannelLayout(mask: 0x30)
    private static let backCenter = ChannelLayout(mask: 0x100)
    private static let sidePair = ChannelLayout(mask: 0x600)
    /// The number of channels that libswresample supports (`SWR_CH_MAX`). The matrix that `swr_build_matrix2` fills has
    /// this many rows and columns.
    private static let channelLimit = 64
    /// The distance from a channel of the back pair to the matching one of the side pair, in mask bits.
    private static let step: UInt64 = 5

    private let input: ChannelLayout
    private let output: ChannelLayout
    private let limit: Double

    /// Returns `nil` if the standard matrix is correct.
    init?(from input: AudioFormat, to output: AudioFormat, neverClips: Bool) {
        let (from, to) = (input.layout.mask, output.layout.mask)
        guard from & Self.backPair.mask == Self.backPair.mask, from & Self.sidePair.mask == 0,
            to & Self.sidePair.mask == Self.sidePair.mask, to & Self.backPair.mask == 0,
            to & Self.backCenter.mask != 0
        else { return nil }
        self.input = input.layout
        self.output = output.layout
        // As in `swr_init` when it builds a matrix, but also for integer input that becomes floats.
        limit = neverClips || !input.samples.isFloat || !output.samples.isFloat ? 1 : Double(CInt.max)
    }

    /// The coefficients in row-major order: a row per target channel, a column per source channel
    /// (`swr_build_matrix2`).
    func coefficients() throws(FFmpegError) -> [Double] {
        let back = input.mask & Self.backPair.mask
        let moved = ChannelLayout(mask: input.mask & ~Self.backPair.mask | back << Self.step)
        var (source, target) = unsafe (moved.native, output.native)
        let level = 0.5.squareRoot()
        var found = [Double](repeating: 0, count: Self.channelLimit * Self.channelLimit)
        try check(
            unsafe found.withUnsafeMutableBufferPointer {
                unsafe swr_build_matrix2(
                    &source,
                    &target,
                    level,
                    level,
                    0,
                    limit,
                    1,
                    $0.baseAddress,
                    Self.channelLimit,
                    AV_MATRIX_ENCODING_NONE,
                    nil
                )
            },
            "swr_build_matrix2"
        )
        let columns = (0..<64 as Range<UInt64>).filter { input.mask & 1 << $0 != 0 }.map { bit in
            let place = back & 1 << bit != 0 ? bit + Self.step : bit
            return (moved.mask & ((1 << place) - 1)).nonzeroBitCount
        }
        return (0..<output.count).flatMap { row in columns.map { found[row * Self.channelLimit + $0] } }
    }
}
