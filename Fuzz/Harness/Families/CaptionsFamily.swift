// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import Bindings
@testable import Packaging

/// The input is pieces, each of which is taken as a video packet with captions, as `cc_data`, as the codes of a caption
/// service, as presentation graphics, as transport stream packets and as a descriptor.
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
        for packet in packets {
            _ = extractor.channels(in: packet.span)
            expect(CaptionData.triplets(sample: packet).count % 3 == 0, "a sample holds triplets")
        }
    }
    for number in 0...4 {
        var channel = CaptionChannel(number)
        for packet in packets { exerciseTriplets(packet, &channel) }
    }
    exerciseServices(packets)
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

private func exerciseServices(_ packets: [[UInt8]]) {
    var decoders = [1, 2, 63].map { ServiceDecoder(number: $0, isWide: $0 > 1) }
    for (time, packet) in packets.enumerated() {
        for index in decoders.indices {
            for caption in decoders[index].captions(from: packet, at: .seconds(Double(time) / 10)) { exercise(caption) }
        }
        // The piece as the codes of service 1, in a packet that is made here.
        var direct = ServiceDecoder(number: 1, isWide: true)
        let framed = packet.prefix(30)
        let packed = [0xFF, 0x10, 0x20 | UInt8(framed.count)] + pairs(Array(framed))
        for caption in direct.captions(from: packed, at: .zero) + direct.finish() { exercise(caption) }
        for services in TransportCaptions(start: packet).services.values {
            expect(Set(services.map(\.name)).count == services.count, "a service is announced once")
        }
    }
    for decoder in decoders { for caption in decoder.finish() { exercise(caption) } }
}

private func pairs(_ bytes: [UInt8]) -> [UInt8] {
    (0..<16).flatMap { place -> [UInt8] in
        let first = place * 2 < bytes.count ? bytes[place * 2] : 0
        return [0xFE, first, place * 2 + 1 < bytes.count ? bytes[place * 2 + 1] : 0]
    }
}

private func exercise(_ caption: ServiceCaption) {
    expect(caption.end.map { $0 >= caption.start } ?? true, "a caption does not end before it starts")
    expect(caption.text.plain == caption.text.runs.map(\.text).joined(), "runs are the text")
    expect(caption.text.plain.contains { !$0.isWhitespace }, "a caption shows something")
    expect((1...9).contains(caption.text.alignment), "an alignment is a key of the pad")
    let isOnScreen = caption.text.position.map { (0...1).contains($0.x) && (0...1).contains($0.y) }
    expect(isOnScreen == true, "a caption is on the screen")
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
