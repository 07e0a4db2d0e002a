// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// X-TIMESTAMP-MAP of a WebVTT segment (RFC 8216 §3.5): the cue time `local` is presented at `ticks`.
package struct WebVTTTimestampMap: Hashable, Sendable {
    /// MPEG-2 timestamp in 90 kHz ticks, 33 bits.
    package var ticks: Int64
    package var local: MediaTime

    /// The map of segments without one: cue time 0 is timestamp 0.
    package static let none = WebVTTTimestampMap(ticks: 0, local: .zero)

    package init(ticks: Int64, local: MediaTime) {
        self.ticks = ticks
        self.local = local
    }

    private static let name = "X-TIMESTAMP-MAP="
    private static let headLimit = 16 << 10

    /// Searches the header of a segment, up to its first blank line.
    ///
    /// - Returns: `nil` if the map is missing or unreadable.
    package init?(_ bytes: [UInt8]) {
        let head = bytes.prefix(Self.headLimit)
        let separator: UInt8 = head.contains(0x0A) ? 0x0A : 0x0D
        for line in head.split(separator: separator, omittingEmptySubsequences: false) {
            let text = String(decoding: HLSLines.trimmed(line), as: UTF8.self)
            if text.isEmpty { return nil }
            guard text.hasPrefix(Self.name) else { continue }
            var ticks: Int64?
            var local: MediaTime?
            for part in text.dropFirst(Self.name.count).split(separator: ",") {
                let part = part.filter { $0 != " " && $0 != "\t" }
                if part.hasPrefix("MPEGTS:") { ticks = HLSSyntax.integer(part.dropFirst(7)) }
                if part.hasPrefix("LOCAL:") { local = Self.clock(part.dropFirst(6)) }
            }
            guard let ticks, let local else { return nil }
            self.init(ticks: ticks & 0x1_FFFF_FFFF, local: local)
            return
        }
        return nil
    }

    /// `HH:MM:SS.mmm` or `MM:SS.mmm`.
    private static func clock(_ text: some StringProtocol) -> MediaTime? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, let seconds = HLSSyntax.seconds(String(parts[parts.count - 1])),
            seconds >= .zero, seconds < .seconds(60)
        else { return nil }
        var minutes: Int64 = 0
        for part in parts.dropLast() {
            guard let number = HLSSyntax.integer(part), number < 1_000_000 else { return nil }
            minutes = minutes * 60 + number
        }
        return seconds + MediaTime(microseconds: minutes * 60_000_000)
    }
}
