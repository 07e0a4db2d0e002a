// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@Suite struct MediaSegmentTests {
    private let track = Track(codec: .h264, timescale: 1000)

    private func sample(
        _ time: Int64,
        offset: Int32 = 0,
        duration: UInt32 = 40,
        sync: Bool = false,
        size: Int = 3
    ) -> Sample {
        Sample(
            decodeTime: time,
            compositionOffset: offset,
            duration: duration,
            isSync: sync,
            payload: ArrayRegion([UInt8](repeating: 0xAB, count: size))
        )
    }

    @Test("Values shared by all samples are written once, and the data offset points after the mdat header")
    func compactSegment() {
        let samples = [sample(1 << 40, sync: true), sample(1 << 40 + 40), sample(1 << 40 + 80)]
        let body = MediaSegment.body(sequenceNumber: 7, track: track, samples: samples)
        #expect(body.byteCount == body.joined.count)
        let tree = BoxTree(bytes: body.joined)
        #expect(tree.payload("moof/traf/tfhd") == hex("00020038 00000001 00000028 00000003 01010000"))
        #expect(tree.payload("moof/traf/tfdt") == hex("01000000 0000010000000000"))
        let moof = tree.payload("moof")?.count ?? 0
        #expect(
            tree.payload("moof/traf/trun")
                == hex("00000005 00000003") + [0, 0, 0, UInt8(moof + 16)] + hex("02000000")
        )
        #expect(tree.payload("moof/mfhd") == hex("00000000 00000007"))
        #expect(tree.payload("mdat") == [UInt8](repeating: 0xAB, count: 9))
    }

    @Test("a segment in parts is the concatenation of its chunks, each with the samples from one division to the next")
    func parts() throws {
        let samples = stride(from: Int64(0), to: 400, by: 40).map { sample($0, sync: $0 == 0) }
        let body = MediaSegment.body(number: 2, track: track, samples: samples, dividedAt: [120, 200, 220], emptyAt: 0)
        let chunks = try PackedSegment.chunks(of: body)
        #expect(chunks.flatMap(\.joined) == body.joined)
        for (number, range) in [0..<3, 3..<5, 5..<6, 6..<10].enumerated() {
            let part = MediaSegment.body(
                sequenceNumber: UInt32(2 << 10 + number + 1),
                track: track,
                samples: Array(samples[range])
            )
            #expect(chunks[number].joined == part.joined, "part \(number)")
        }
    }

    @Test("a part without samples states its decode time")
    func emptyPart() throws {
        let body = MediaSegment.body(
            number: 0,
            track: track,
            samples: [sample(0), sample(500)],
            dividedAt: [100, 300],
            emptyAt: 0
        )
        let tree = BoxTree(bytes: try PackedSegment.chunks(of: body)[1].joined)
        #expect(tree.payload("moof/traf/tfdt") == hex("01000000 0000000000000064"))
        #expect(tree.payload("mdat") == [])
    }

    @Test("A negative composition offset makes the offsets of the run signed; differing values are written per sample")
    func perSampleFields() {
        let samples = [
            sample(0, offset: 80, sync: true, size: 5), sample(40, offset: -40, duration: 41),
            sample(81, sync: true, size: 5),
        ]
        let run = BoxTree(bytes: MediaSegment.body(sequenceNumber: 1, track: track, samples: samples).joined)
            .payload("moof/traf/trun")
        #expect(run?.prefix(8) == hex("01000F01 00000003")[...])
        #expect(
            run.map { Array($0.dropFirst(12)) }
                == hex(
                    """
                    00000028 00000005 02000000 00000050
                    00000029 00000003 01010000 FFFFFFD8
                    00000028 00000005 02000000 00000000
                    """
                )
        )
    }

    @Test("Payloads are referenced, not copied")
    func payloadsByReference() {
        let samples = (0..<5).map { sample($0 * 40, sync: true) }
        let regions = MediaSegment.body(sequenceNumber: 1, track: track, samples: samples).regions
        #expect(regions.count == 6)
        for (region, sample) in zip(regions.dropFirst(), samples) { #expect(region === sample.payload) }
    }

    @Test("Payloads of 4 GiB get a 64-bit size")
    func largeData() {
        let huge = Sample(
            decodeTime: 0,
            compositionOffset: 0,
            duration: 1,
            isSync: true,
            payload: ClaimedRegion(byteCount: 1 << 31)
        )
        let body = MediaSegment.body(sequenceNumber: 1, track: track, samples: [huge, huge])
        let head = body.regions[0].withBytes { (span: Span<UInt8>) in span.indices.map { span[$0] } }
        #expect(head.suffix(16) == hex("00000001 6D646174 0000000100000010")[...])
        #expect(BoxTree(bytes: head).payload("moof/traf/trun")?[8..<12] == hex("00000074")[...])
    }

    @Test(
        "A 32-bit size is used as long as it can include the header",
        arguments: [(0, "FFFFFFFF"), (1, "00000001")]
    )
    func sizeAtTheLimit(more: Int, size: String) {
        let payload = ClaimedRegion(byteCount: 0xFFFF_FFFF - 8 + more)
        let sample = Sample(decodeTime: 0, compositionOffset: 0, duration: 1, isSync: true, payload: payload)
        let head = MediaSegment.body(sequenceNumber: 1, track: track, samples: [sample]).regions[0]
            .withBytes { (span: Span<UInt8>) in span.indices.map { span[$0] } }
        #expect(head.suffix(8 + 8 * more).prefix(8) == hex("\(size) 6D646174")[...])
    }

    @Test("A segment without samples is marked as empty and has no run")
    func emptySegment() {
        let body = MediaSegment.body(sequenceNumber: 1, track: track, samples: [], emptyAt: 4096)
        let tree = BoxTree(bytes: body.joined)
        #expect(tree.payload("moof/traf/tfhd") == hex("00030000 00000001"))
        #expect(tree.payload("moof/traf/tfdt") == hex("01000000 00000000 00001000"))
        #expect(tree.payload("moof/traf/trun") == nil)
        #expect(tree.payload("mdat")?.isEmpty == true)
    }

    /// Claims a size without containing that many bytes.
    private final class ClaimedRegion: ByteRegion {
        let byteCount: Int
        init(byteCount: Int) { self.byteCount = byteCount }
        func withBytes<Value, Failure: Error>(
            _ body: (Span<UInt8>) throws(Failure) -> Value
        ) throws(Failure) -> Value {
            let nothing: [UInt8] = []
            return try body(nothing.span)
        }
    }
}
