// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decodes one CTA-708 service: text and its styles, windows, and when they are shown. Starts with an empty screen.
///
/// Pure. Backgrounds, borders, fonts, sizes and display effects are ignored.
package struct ServiceDecoder: Sendable {
    /// The size of a service's input buffer (§8.10.5.13). When it is full, any delay ends.
    private static let inputLimit = 128

    private var packets: ServicePackets
    private var screen: ServiceScreen
    /// Bytes received but not executed: held up by a delay, or the start of an incomplete code.
    private var input: [UInt8] = []
    private var delayedUntil: MediaTime?
    /// The time of the last picture.
    private var latest = MediaTime.zero

    /// - Parameters:
    ///   - number: of the service, 1 … 63.
    ///   - isWide: whether the video is 16:9.
    package init(number: Int, isWide: Bool) {
        packets = ServicePackets(number: number)
        screen = ServiceScreen(grid: ServiceGrid(isWide: isWide))
    }

    /// - Parameters:
    ///   - triplets: of `cc_data`, in presentation order.
    ///   - time: the presentation time of the picture that carries them.
    /// - Returns: the captions that have ended.
    package mutating func captions(from triplets: [UInt8], at time: MediaTime) -> [ServiceCaption] {
        latest = time
        var captions: [ServiceCaption] = []
        while let end = delayedUntil, end <= time {
            delayedUntil = nil
            captions += execute(at: end)
        }
        for piece in packets.pieces(from: triplets) {
            switch piece {
            // The missing data may have changed anything.
            case .gap:
                (input, delayedUntil) = ([], nil)
                captions += screen.apply(.reset, at: time)
            case .block(let bytes):
                input += bytes
                if delayedUntil != nil { captions += endDelay(at: time) }
                captions += execute(at: time)
            }
        }
        return captions
    }

    /// The captions on the screen at the end. The most recent ones stay open. Older ones, in other windows, end with
    /// the last picture, because a later cue must not determine their end.
    package func finish() -> [ServiceCaption] {
        let remaining = screen.remaining()
        let last = remaining.map(\.start).max()
        return remaining.map { caption in
            caption.start == last ? caption : ServiceCaption(start: caption.start, end: latest, text: caption.text)
        }
    }

    /// Executes the buffered codes, up to a delay.
    private mutating func execute(at time: MediaTime) -> [ServiceCaption] {
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

    /// Ends a delay early if the buffer is full, or contains EndDelay or Reset, which a delay does not hold up. Reset
    /// discards everything buffered before it.
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
