// SPDX-License-Identifier: Apache-2.0

/// The buffer from which a decoder takes coded pictures (ITU-T H.264, Annex C): whether all of a segment's pictures
/// arrive in time at its maximum bit rate. Pure.
struct DecoderBuffer: Hashable {
    /// In bits.
    private let size: Double
    /// Bits that arrive in one tick of the track.
    private let rate: Double
    private var fill: Double
    private var latest: Int64?
    /// The size of all pictures so far.
    private(set) var usedBits = 0
    /// Whether a picture was not complete when it had to be decoded.
    private(set) var isExceeded = false

    /// The part of the buffer that is full when the first picture is decoded; the default of x264.
    private static let initialFill = 0.9

    init(size: Int, bitRate: Int, timescale: Int) {
        self.size = Double(size)
        rate = Double(bitRate) / Double(max(1, timescale))
        fill = Self.initialFill * self.size
    }

    /// Takes the next picture in decoding order.
    ///
    /// - Parameter time: when it is decoded, in ticks of the track.
    mutating func take(bits: Int, at time: Int64) {
        if let latest, time > latest { fill = min(size, fill + (Double(time) - Double(latest)) * rate) }
        latest = max(latest ?? time, time)
        usedBits += bits
        fill -= Double(bits)
        if fill < 0 { isExceeded = true }
    }
}
