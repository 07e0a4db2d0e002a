// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decodes one service of CTA-708: text and its looks, windows, and when they are on. Begins with an empty screen.
///
/// Pure over bytes. Backgrounds, borders, fonts, sizes and effects of display are not taken over.
package struct ServiceDecoder: Sendable {
    /// A service's input buffer (§8.10.5.13): when it is full, no delay holds it up any longer.
    private static let inputLimit = 128

    private var packets: ServicePackets
    private var screen: ServiceScreen
    /// What has come and is not carried out: held up by a delay, or the start of a code.
    private var input: [UInt8] = []
    private var delayedUntil: MediaTime?
    /// Of the last picture.
    private var latest = MediaTime.zero

    /// - Parameters:
    ///   - number: of the service, 1 … 63.
    ///   - isWide: whether the pictures are of 16:9.
    package init(number: Int, isWide: Bool) {
        packets = ServicePackets(number: number)
        screen = ServiceScreen(grid: ServiceGrid(isWide: isWide))
    }

    /// - Parameters:
    ///   - triplets: of `cc_data`, in the order of presentation.
    ///   - time: when the picture that carries them is shown.
    /// - Returns: the captions that end by it.
    package mutating func captions(from triplets: [UInt8], at time: MediaTime) -> [ServiceCaption] {
        latest = time
        var captions: [ServiceCaption] = []
        while let end = delayedUntil, end <= time {
            delayedUntil = nil
            captions += carryOut(at: end)
        }
        for piece in packets.pieces(from: triplets) {
            switch piece {
            // What has been missed may have changed anything.
            case .gap:
                (input, delayedUntil) = ([], nil)
                captions += screen.apply(.reset, at: time)
            case .block(let bytes):
                input += bytes
                if delayedUntil != nil { captions += endDelay(at: time) }
                captions += carryOut(at: time)
            }
        }
        return captions
    }

    /// What is on at the end. What came last stays open; what was on before, in other windows, ends with the last picture: it
    /// is not what comes behind it that ends it.
    package func finish() -> [ServiceCaption] {
        let remaining = screen.remaining()
        let last = remaining.map(\.start).max()
        return remaining.map { caption in
            caption.start == last ? caption : ServiceCaption(start: caption.start, end: latest, text: caption.text)
        }
    }

    /// Carries out what is in the buffer, up to a delay.
    private mutating func carryOut(at time: MediaTime) -> [ServiceCaption] {
        var captions: [ServiceCaption] = []
        var rest = input[...]
        while delayedUntil == nil, let (code, count) = ServiceCode.first(of: rest) {
            rest = rest.dropFirst(count)
            if case .delay(let tenths) = code {
                delayedUntil = time + MediaTime(microseconds: Int64(tenths) * 100_000)
            } else {
                captions += screen.apply(code, at: time)
            }
        }
        input = Array(rest)
        return captions
    }

    /// Ends a delay before its time where the buffer is full, or holds what ends it: no delay holds that up. A reset drops what is
    /// in front of it.
    private mutating func endDelay(at time: MediaTime) -> [ServiceCaption] {
        var rest = input[...]
        while let (code, count) = ServiceCode.first(of: rest) {
            rest = rest.dropFirst(count)
            guard code == .endDelay || code == .reset else { continue }
            delayedUntil = nil
            guard code == .reset else { return [] }
            input = Array(rest)
            return screen.apply(.reset, at: time)
        }
        if input.count >= Self.inputLimit { delayedUntil = nil }
        return []
    }
}
