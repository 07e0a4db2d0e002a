// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Records which captions a video carries.
///
/// Only self-identifying data counts: CEA-608 commands, which name their channel, and CTA-708 blocks, which name their
/// service. Fill, extended data and text services are ignored.
package struct CaptionSurvey: Sendable {
    private let extractor: CaptionExtractor?
    /// In the syntax of INSTREAM-ID.
    package private(set) var channels: Set<String> = []

    /// For a codec that cannot carry captions, nothing is recorded.
    package init(codec: CodecID, extradata: [UInt8]) {
        extractor = CaptionExtractor(codec: codec, extradata: extradata)
    }

    /// - Parameter picture: complete, as in the container.
    package mutating func note(picture: Span<UInt8>) {
        if let extractor { note(triplets: extractor.headTriplets(in: picture)) }
    }

    /// - Parameter triplets: the `cc_data` of one picture.
    package mutating func note(triplets: [UInt8]) {
        for index in stride(from: 0, to: triplets.count - 2, by: 3) {
            let (marker, first, second) = (triplets[index], triplets[index + 1], triplets[index + 2])
            guard marker & 4 != 0, marker & 3 < 2, Self.isCaptionCommand(first, second) else { continue }
            channels.insert("CC\(1 + (marker & 1) * 2 + (first >> 3 & 1))")
        }
        channels.formUnion(ServicePackets.services(in: triplets).map { "SERVICE\($0)" })
    }

    /// CTA-608: a command with odd parity that does not switch to a text service.
    private static func isCaptionCommand(_ first: UInt8, _ second: UInt8) -> Bool {
        let (high, low) = (first & 0x77, second & 0x7F)
        guard (0x10...0x17).contains(high), first.nonzeroBitCount & 1 == 1 else { return false }
        return !((high == 0x14 || high == 0x15) && (low == 0x2A || low == 0x2B))
    }
}
