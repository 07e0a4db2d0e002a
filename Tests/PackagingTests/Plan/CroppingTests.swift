// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Packaging

@Suite("Cropping and object claims in containers", .timeLimit(.minutes(10)))
struct CroppingTests {
    private func word(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        word(content.count + 8) + Array(type.utf8) + content
    }

    private func movie(_ entry: String, fields: Int, _ inner: [UInt8]) -> [UInt8] {
        let list = box("stsd", word(0) + word(1) + box(entry, [UInt8](repeating: 0, count: fields) + inner))
        return box("moov", box("trak", box("mdia", box("minf", box("stbl", list)))))
    }

    private func aperture(_ numbers: [Int]) -> [UInt8] {
        movie("avc1", fields: 78, box("clap", numbers.flatMap(word)))
    }

    @Test(
        "A clean aperture becomes the cropping on each side",
        arguments: [
            ([1920, 1, 800, 1, 0, 1, 0, 1], Cropping(top: 140, bottom: 140)),
            ([700, 1, 1080, 1, -12, 2, 0, 1], Cropping(left: 604, right: 616)),
            ([1921, 1, 800, 1, 0, 1, 0, 1], nil), ([1920, 1, 800, 1, 0, 1, 200, 1], nil),
            ([1920, 0, 800, 1, 0, 1, 0, 1], nil), ([-4, 1, 800, 1, 0, 1, 0, 1], nil),
            ([1920, 1, 800, 1], nil),
        ] as [([Int], Cropping?)]
    )
    func aperture(_ numbers: [Int], _ cropping: Cropping?) {
        let entry = MovieEntry(inMovie: aperture(numbers), trackNumber: 0)
        #expect(entry != nil)
        #expect(entry?.cropping(width: 1920, height: 1080) == cropping)
        #expect(MovieEntry(inMovie: aperture(numbers), trackNumber: 1) == nil)
    }

    @Test(
        "Only the extension of dec3 claims objects",
        arguments: [
            ("0c00200f00", nil), ("0c00200f000110", 16), ("0c00200f000010", nil), ("0c00200f02000110", 16), ("0c", nil),
        ] as [(String, Int?)]
    )
    func claims(_ payload: String, _ complexity: Int?) {
        let entry = MovieEntry(inMovie: movie("ec-3", fields: 28, box("dec3", hex(payload))), trackNumber: 0)
        #expect(entry?.claimedObjects == complexity)
    }

    @Test("Cropping is read for each Matroska video track")
    func tracks() {
        let found = MatroskaCropping.find(in: Self.file)
        #expect(found == [Cropping(top: 140, bottom: 140), Cropping(left: 8, right: 10)])
        #expect(MatroskaCropping.find(in: []) == [])
        #expect(MatroskaCropping.find(in: Array(Self.file.prefix(20))) == [])
    }

    private static func element(_ id: String, _ content: [UInt8]) -> [UInt8] {
        hex(id) + [0x40, UInt8(content.count)] + content
    }

    private static let file: [UInt8] = {
        let first = element("54aa", [140]) + element("54bb", [0, 140])
        let second = element("54cc", [8]) + element("54dd", [0, 0, 10])
        let tracks =
            element("ae", element("83", [2])) + element("ae", element("e0", first))
            + element("ae", element("e0", second))
        // The segment has an unknown size, as in a file that was never finalised.
        return element("1a45dfa3", []) + hex("18538067 01ffffffffffffff") + element("ec", [0, 0])
            + element("1654ae6b", tracks)
    }()

    @Test("Arbitrary bytes do not trap", arguments: 0..<80)
    func garbage(seed: Int) {
        var generator = SplitMix(state: UInt64(seed))
        for source in [Self.file, aperture([700, 1, 560, 1, 0, 1, 0, 1])] {
            var bytes = source
            for _ in 0..<6 {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            #expect(MatroskaCropping.find(in: bytes).count <= bytes.count)
            let entry = MovieEntry(inMovie: bytes, trackNumber: 0)
            if let cropping = entry?.cropping(width: 720, height: 576) {
                #expect(cropping.fits(width: 720, height: 576))
            }
            #expect((entry?.claimedObjects ?? 0) < 256)
        }
    }
}
