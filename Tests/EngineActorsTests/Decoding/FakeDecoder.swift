// SPDX-License-Identifier: Apache-2.0

import Bindings

/// A decoder without media: each packet becomes a small black frame with the packet's presentation time. Frames come
/// out in order of time.
struct FakeDecoder: FrameDecoder {
    enum Fault: Hashable, Sendable {
        case none
        /// Packets from this one on are refused; the first packet has number 0.
        case refuses(from: Int)
        /// No frame can be received once this many packets have arrived.
        case breaks(after: Int)
        /// No frame ever comes out.
        case isSilent
    }

    /// How many frames are held back until the decoder is drained.
    let reorderDepth: Int
    private let fault: Fault
    private var held: [Int64] = []
    private var packetCount = 0
    private var isDraining = false

    init(reorderDepth: Int = 1, _ fault: Fault = .none) {
        self.reorderDepth = reorderDepth
        self.fault = fault
    }

    mutating func send(
        _ packet: Packet,
        skipping: VideoDecoder.Skipping,
        isRough: Bool,
        privateData: [UInt8]?
    ) throws(FFmpegError) {
        defer { packetCount += 1 }
        if case .refuses(let first) = fault, packetCount >= first { throw Self.failure }
        guard fault != .isSilent, let time = packet.pts else { return }
        held.append(time)
        held.sort()
    }

    mutating func drain() throws(FFmpegError) { isDraining = true }

    mutating func receive() throws(FFmpegError) -> VideoDecoder.Received {
        if case .breaks(let count) = fault, packetCount >= count { throw Self.failure }
        if held.count > (isDraining ? 0 : reorderDepth) {
            return .frame(.blank(width: 2, height: 2, pts: held.removeFirst()))
        }
        return isDraining ? .ended : .needsInput
    }

    mutating func flush() {
        held = []
        isDraining = false
    }

    private static var failure: FFmpegError { FFmpegError(-5, in: "FakeDecoder") }
}
