// SPDX-License-Identifier: Apache-2.0

@testable import Bindings
import Testing

struct SequenceWatchTests {
    /// The sequence header of a packet, and a picture.
    private struct Head: CustomTestStringConvertible {
        var width = 352
        var height = 240
        /// The code for the shape of the picture: 2 for 4:3, 3 for 16:9.
        var aspect = 2
        /// `nil`: MPEG-1, without an extension.
        var isProgressive: Bool? = true
        /// The display size. `nil`: the packet has no sequence display extension.
        var shown: (width: Int, height: Int)?
        var hasColors = false

        var testDescription: String { "\(width)x\(height), \(aspect), \(String(describing: isProgressive))" }

        var bytes: [UInt8] {
            func bits(_ value: Int, _ shift: Int, _ mask: Int = 0xFF) -> UInt8 { UInt8(value >> shift & mask) }
            var bytes: [UInt8] = [0, 0, 1, 0xB3, bits(width, 4)]
            bytes += [bits(width, 0, 0xF) << 4 | bits(height, 8, 0xF), bits(height, 0), bits(aspect, 0) << 4 | 4]
            bytes += [0xFF, 0xFF, 0xE0, 0x18]
            if let isProgressive {
                bytes += [0, 0, 1, 0xB5, 0x14, 0x82 | (isProgressive ? 8 : 0) | bits(width, 13, 1)]
                bytes += [bits(width, 12, 1) << 7 | bits(height, 12, 3) << 5, 1, 0, 0]
            }
            if let shown {
                bytes += [0, 0, 1, 0xB5] + (hasColors ? [0x2B, 5, 5, 5] : [0x2A])
                bytes += [bits(shown.width, 6), bits(shown.width, 0, 0x3F) << 2 | 2 | bits(shown.height, 13, 1)]
                bytes += [bits(shown.height, 5), bits(shown.height, 0, 0x1F) << 3]
            }
            return bytes + SequenceWatchTests.picture
        }
    }

    private static let picture: [UInt8] = [0, 0, 1, 0, 0x00, 0x0F, 0xFF, 0xF8, 0, 0, 1, 1, 0x22, 0x33]

    /// Which of these packets restart the decoder.
    private func restarts(_ packets: [[UInt8]]) -> [Bool] {
        var watch = SequenceWatch()
        return packets.map { watch.isRestart($0.span) }
    }

    /// Whether the first packet with the head `second` restarts the decoder. Expects that no other packet does.
    private func isRestart(_ first: Head, _ second: Head) -> Bool {
        let found = restarts([first, first, second, second].flatMap { [$0.bytes, Self.picture] })
        #expect(found.indices.allSatisfy { $0 == 4 || !found[$0] })
        return found[4]
    }

    @Test
    func changesOfTheSizeRestart() {
        #expect(!isRestart(Head(), Head()))
        for second in [Head(width: 704), Head(height: 480), Head(width: 352 + 4096), Head(height: 240 + 4096)] {
            #expect(isRestart(Head(), second))
        }
        #expect(isRestart(Head(isProgressive: nil), Head(width: 704, isProgressive: nil)))
    }

    /// 240, 288 and 1080 lines are 15, 18 and 68 rows of macroblocks.
    @Test(arguments: [(240, true), (480, false), (288, false), (1080, false), (272, true), (225, true), (224, false)])
    func aChangeFromFilmToVideoRestartsIfTheRowsAreOdd(height: Int, restarts: Bool) {
        let film = Head(height: height, isProgressive: false)
        let video = Head(height: height, isProgressive: true)
        #expect(isRestart(film, video) == restarts && isRestart(video, film) == restarts)
    }

    @Test
    func changesOfTheShapeRestart() {
        #expect(isRestart(Head(height: 480), Head(height: 480, aspect: 3)))
        #expect(isRestart(Head(isProgressive: nil), Head(aspect: 8, isProgressive: nil)))
        for hasColors in [false, true] {
            // 540 of 720 columns are 4:3, so the whole picture is 16:9.
            let cropped = Head(width: 720, height: 480, shown: (540, 480), hasColors: hasColors)
            #expect(isRestart(Head(width: 720, height: 480), cropped))
            // The whole picture is shown, or an area that libavcodec ignores.
            for area in [(720, 480), (0, 480), (100, 480)] {
                let whole = Head(width: 720, height: 480, shown: area, hasColors: hasColors)
                #expect(!isRestart(Head(width: 720, height: 480), whole))
            }
        }
    }

    @Test
    func incompleteHeadersAreIgnored() {
        let whole = Head(width: 704).bytes
        for end in 0..<8 { #expect(restarts([Head().bytes, Array(whole.prefix(end))]) == [false, false]) }
        // Headers after the first picture belong to another one.
        #expect(restarts([Head().bytes, Self.picture + whole]) == [false, false])
    }
}
