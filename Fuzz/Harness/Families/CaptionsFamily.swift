// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import Packaging

/// The input, in pieces, is packets: of pictures with captions within, of presentation graphics, and of what descriptors say.
func exerciseCaptions(_ bytes: [UInt8]) {
    let packets = pieces(bytes)
    for codec in ["h264", "hevc", "av1", "mpeg2video"] {
        guard let extractor = CaptionExtractor(codec: CodecID(rawValue: codec), extradata: packets.first ?? []) else {
            expect(false, "\(codec) carries captions")
            continue
        }
        for number in 0...4 {
            var channel = CaptionChannel(number)
            for packet in packets { exerciseTriplets(extractor.triplets(in: packet.span), &channel) }
        }
        for packet in packets { _ = extractor.channels(in: packet.span) }
    }
    for number in 0...4 {
        var channel = CaptionChannel(number)
        for packet in packets { exerciseTriplets(packet, &channel) }
    }
    exerciseGraphics(packets)
    for packet in packets {
        for page in SubtitlePage.pages(teletext: packet, languages: "deu,fra,") {
            expect((100...899).contains(page.number), "a page of teletext has a number of three digits")
        }
        _ = SubtitlePage.pages(subtitling: packet, languages: "")
    }
}

private func exerciseTriplets(_ triplets: [UInt8], _ channel: inout CaptionChannel) {
    let taken = channel.taken(from: triplets)
    expect(
        taken.count % 3 == 0 && taken.count <= triplets.count,
        "what is taken are triplets, and no more than there are"
    )
}

private func exerciseGraphics(_ packets: [[UInt8]]) {
    var segments = GraphicsSegments()
    for packet in packets {
        guard let repaired = segments.repaired(packet.span) else { continue }
        let count = repaired.reduce(0) { $0 + $1.count }
        expect(count <= packet.count + 3 * (repaired.count + 1), "nothing is added but ends")
        _ = CroppedPicture(
            width: Int(packet.first ?? 0),
            height: 9,
            indices: packet,
            palette: packet.map { UInt32($0) << 24 }
        )
    }
}
