// SPDX-License-Identifier: Apache-2.0

import DrawingWire
import EngineModel

@testable import Packaging

/// The input is a message to or from the program that draws subtitles. Then its numbers are the events of a schedule, and
/// its bytes the pixels of a picture whose text is recognized.
func exerciseDrawings(_ bytes: [UInt8]) {
    exerciseMessages(bytes)
    exerciseSchedule(bytes)
    exerciseInk(bytes)
}

private func exerciseMessages(_ bytes: [UInt8]) {
    let memory = 1 << 20
    if let order = try? DrawingOrder(bytes, memoryByteCount: memory) {
        expect((try? DrawingOrder(order.bytes, memoryByteCount: memory)) == order, "an order is read as it was written")
    }
    let canvas = PixelBox(x: 0, y: 0, width: 320, height: 180)
    if let answer = try? DrawingAnswer(bytes, canvas: canvas) {
        expect((try? DrawingAnswer(answer.bytes, canvas: canvas)) == answer, "an answer is read as it was written")
        guard case .drawn(let boxes) = answer else { return }
        expect(boxes.allSatisfy { canvas.holds($0) && $0.width > 0 && $0.height > 0 }, "boxes lie on the canvas")
        expect(boxes.reduce(0) { $0 + $1.width * $1.height } <= 320 * 180, "the pixels fit into the memory")
        var regions = PictureRegions(on: canvas)
        for box in boxes { regions.add(box) }
        for (index, box) in regions.boxes.enumerated() {
            expect(regions.boxes[..<index].allSatisfy { $0.common(box) == nil }, "regions do not overlap")
        }
    }
}

private func exerciseSchedule(_ bytes: [UInt8]) {
    var draw = Draw(bytes)
    let (first, second) = (draw.time(), draw.time())
    let range = draw.byte() & 1 == 0 ? nil : MediaTimeRange(start: min(first, second), end: max(first, second))
    let frame = TimeBase(Int64(draw.byte()) + 1, Int64(draw.index(1000)) + 1)
    var schedule = PictureSchedule(range: range, frame: frame, origin: draw.time())
    var events: [(start: MediaTime, end: MediaTime?, isMoving: Bool)] = []
    while !draw.isEmpty, events.count < 32 {
        let start = draw.time()
        events.append(
            (start, draw.byte() & 3 == 0 ? nil : start + MediaTime(microseconds: draw.number()), draw.byte() & 1 == 0)
        )
    }
    var last: MediaTime?
    // The limit of steps: an event may move through any number of frames.
    var rest = 2000
    func follow() {
        while rest > 0, let step = schedule.step() {
            let time =
                switch step {
                case .layOut(let time), .draw(let time): time
                }
            expect(last.map { $0 < time } ?? true, "each step is later than the one before")
            if let range { expect(time < range.end, "no step lies behind the range") }
            expect(schedule.end.map { $0 > time } ?? true, "a picture lasts")
            last = time
            rest -= 1
        }
    }
    for event in events.sorted(by: { $0.start < $1.start }) {
        schedule.add(from: event.start, to: event.end, isMoving: event.isMoving)
        follow()
    }
    schedule.finish()
    follow()
    expect(rest == 0 || schedule.isDone, "the steps end with the events")
}

private func exerciseInk(_ bytes: [UInt8]) {
    var draw = Draw(bytes)
    let (width, height, canvas) = (Int(draw.byte() & 63), Int(draw.byte() & 63), draw.side())
    let pixels = draw.bytes(width * height * 4)
    guard let picture = InkPicture(width: width, height: height, pixels: pixels, canvasHeight: canvas) else { return }
    expect(picture.pixels.count == picture.width * picture.height, "a picture has all pixels")
}
