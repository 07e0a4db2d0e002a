// SPDX-License-Identifier: Apache-2.0

import Packaging
import Testing

@testable import DrawingWire

@Suite("The protocol between the engine and the program that draws subtitles")
struct DrawingWireTests {
    private static let canvas = PixelBox(x: 0, y: 0, width: 640, height: 360)

    private static var setup: DrawingSetup {
        var setup = DrawingSetup(width: 640, height: 360)
        (setup.storageWidth, setup.storageHeight) = (1920, 1080)
        (setup.headerByteCount, setup.fontByteCounts) = (10, [20, 30])
        return setup
    }

    @Test(
        "Orders arrive as they were sent",
        arguments: [
            DrawingOrder.setUp(setup), .setUp(DrawingSetup(width: 16, height: 8192)),
            .add([], now: -5),
            .add(
                [
                    DrawingEvent(start: -1, duration: .max, byteCount: 60),
                    DrawingEvent(start: .min, duration: 0, byteCount: 0),
                ],
                now: 9
            ),
            .layOut(at: .min), .draw(at: 1 << 40),
        ]
    )
    func orders(order: DrawingOrder) throws {
        #expect(try DrawingOrder(order.bytes, memoryByteCount: 60) == order)
    }

    @Test(
        "Answers arrive as they were sent",
        arguments: [
            DrawingAnswer.done, .unchanged, .exceedsLimits, .drawn([]), .drawn([canvas]),
            .drawn([PixelBox(x: 1, y: 2, width: 3, height: 4), PixelBox(x: 639, y: 359, width: 1, height: 1)]),
        ]
    )
    func answers(answer: DrawingAnswer) throws {
        #expect(try DrawingAnswer(answer.bytes, canvas: Self.canvas) == answer)
    }

    @Test("Orders for more memory than there is, and damaged ones, are refused")
    func wrongOrders() {
        let order = DrawingOrder.setUp(Self.setup)
        #expect(throws: DrawingViolation.self) { try DrawingOrder(order.bytes, memoryByteCount: 59) }
        #expect(throws: DrawingViolation.self) { try DrawingOrder(order.bytes.dropLast(), memoryByteCount: 60) }
        #expect(throws: DrawingViolation.self) { try DrawingOrder([], memoryByteCount: 60) }
        for numbers in [
            [0], [5, 1], [3], [4, 1, 2], [1, 640, 360, 0, 0], [1, 15, 360, 0, 0, 0], [1, 640, 360, 0, 0, -1],
            [2, 0, 1, 1],
            [2, 0, 1, 1, 61], [2, 0, 1, 1, .max, 1, 1, .max],
        ] as [[Int64]] {
            #expect(throws: DrawingViolation.self) { try DrawingOrder(NumberList(numbers).bytes, memoryByteCount: 60) }
        }
    }

    @Test("Boxes outside the canvas, empty boxes, and boxes of more pixels than the canvas has are refused")
    func wrongAnswers() {
        for numbers in [
            [3, 0, 0, 641, 1], [3, 600, 0, 50, 1], [3, -1, 0, 5, 5], [3, 0, 0, 0, 5], [3, 0, 0, .max, .max],
            [3, 0, 0, 640, 360, 0, 0, 1, 1], [3, 1], [9], [],
        ] as [[Int64]] {
            #expect(throws: DrawingViolation.self) { try DrawingAnswer(NumberList(numbers).bytes, canvas: Self.canvas) }
        }
    }
}
