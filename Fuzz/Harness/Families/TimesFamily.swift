// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import Bindings
@testable import Decoding
@testable import Reading
@testable import Segments
@testable import Sessions
@testable import Stills
@testable import Subtitles
@testable import Packaging

/// The input is numbers: times, durations and rates that a file, a decoder or a front-end may state.
func exerciseTimes(_ bytes: [UInt8]) {
    exerciseFrameTimes(Draw(bytes))
    exerciseSampleTimes(Draw(bytes))
    exerciseSound(Draw(bytes))
    exercisePlayhead(Draw(bytes))
    exerciseTap(Draw(bytes))
    exercisePlan(Draw(bytes))
}

private func exerciseFrameTimes(_ numbers: Draw) {
    var draw = numbers
    var clock = PresentationReorderer(from: draw.byte() & 1 == 0 ? nil : draw.number())
    var spacing = FrameSpacing<Int>(target: draw.byte() & 1 == 0 ? nil : draw.time(), usual: .seconds(0.04))
    var watch = FieldWatch()
    var policy = FrameDropPolicy()
    var count = 0
    while !draw.isEmpty, count < 600 {
        count += 1
        let slot = draw.number()
        clock.send(slot, known: draw.byte() & 1 == 0 ? nil : draw.number())
        policy.note(late: MediaTime(microseconds: slot))
        watch.note(isInterlaced: draw.byte() == 255)
        guard let shown = clock.show(slot, pending: Int(draw.byte() & 3)) else { continue }
        let length = draw.byte() & 1 == 0 ? nil : draw.time()
        let earlier = shown.earlier.map { MediaTime(microseconds: $0) }
        let spaced = spacing.add(count, at: MediaTime(microseconds: shown.time), lasting: length, earlier: earlier)
        if let spaced { expect(spaced.frame < count, "a frame is given when the next is there") }
    }
    _ = spacing.finish()
    expect(watch.finish() != .undecided, "the search for fields ends with a verdict")
}

private func exerciseSampleTimes(_ numbers: Draw) {
    var draw = numbers
    var clock = SampleClock()
    var (given, placed) = (0, 0)
    for _ in 0..<200 where !draw.isEmpty {
        let rate = [1, 8000, 44_100, 48_000, 768_000][draw.index(5)]
        let time = draw.byte() & 1 == 0 ? nil : draw.time()
        let places = clock.place(1 + draw.index(1 << 16), rate: rate, at: time)
        if given == 0 { expect(places.first?.isDiscontinuous == true, "the first samples follow none") }
        given += 1
        placed += places.count
    }
    expect(placed + clock.finish().count == given, "all samples have a place, once")
}

private let stereo = ChannelLayout(mask: 3)

private func exerciseSound(_ numbers: Draw) {
    var draw = numbers
    var queue = AudioQueue(from: draw.time(), lap: 1)
    var map = AudioMap()
    var lap: UInt64 = 1
    for _ in 0..<16 where !draw.isEmpty {
        let rate = [1, 8000, 44_100, 48_000, 768_000][draw.index(5)]
        let format = AudioFormat(samples: .float, rate: rate, layout: stereo)
        let count = 1 + draw.index(64)
        let audio = TimedAudio(
            format: format,
            block: SampleBlock(planes: [[UInt8](repeating: 0, count: count * format.stride)], count: count),
            time: draw.time(),
            isDiscontinuous: draw.byte() & 1 == 0
        )
        let before = queue.entries.count
        queue.append(audio)
        expect(queue.entries.count - before <= 72_002, "a hole is filled with an hour at most")
        if queue.entries.count > 1000 { queue = AudioQueue(from: queue.end, lap: lap) }
        switch draw.byte() & 7 {
        case 0: queue.rewind(to: draw.time(), lap: lap)
        case 1:
            lap &+= 1
            queue.beginLap(lap, at: draw.time())
        case 2: queue.beginPass()
        case 3: queue.endLap(lap)
        case 4: _ = queue.ahead(of: draw.time(), lap: lap)
        default:
            for entry in queue.take(draw.time()) {
                expect(entry.number > 0, "pieces are numbered")
                map.append(count: count, sampleRate: rate, time: entry.time, rate: 1, lap: entry.lap)
            }
        }
        queue.trim(to: draw.time(), lap: lap)
        _ = map.wait(from: draw.number() & .max)
        _ = map.place(heard: draw.number() & .max)
    }
}

private func exercisePlayhead(_ numbers: Draw) {
    var draw = numbers
    var machine = PresentationStateMachine()
    var schedule = ReportSchedule()
    var now: Int64 = 1_000_000_000
    machine.setDuration(draw.byte() & 1 == 0 ? nil : draw.time())
    machine.load(at: draw.time(), now: now)
    for _ in 0..<200 where !draw.isEmpty {
        now += Int64(draw.index(1 << 16)) * 1000
        switch draw.byte() % 9 {
        case 0: machine.seek(UInt64(draw.byte()), to: draw.time(), at: now)
        case 1: machine.play(at: now)
        case 2: machine.pause(at: now)
        case 3: machine.setRate([0, 0.25, 1, 4][draw.index(4)], at: now)
        case 4: machine.setLooping(!machine.isLooping)
        case 5: machine.sinksChanged(at: now)
        case 6: machine.setDuration(draw.time())
        default: machine.advance(stock(&draw, now), heard: place(&draw), at: now)
        }
        _ = machine.takeEffects()
        let position = machine.position(at: now)
        expect(position >= .zero, "the playhead is on the timeline: \(position)")
        if let anchor = machine.takeAnchor() {
            _ = anchor.position(at: now &+ 3_600_000_000_000)
            _ = anchor.moment(of: draw.time())
        }
        let report = RendererReport(position: position, rate: machine.movingRate)
        _ = schedule.report(report, at: now)
    }
}

private func stock(_ draw: inout Draw, _ now: Int64) -> PresentationStateMachine.Stock {
    var stock = PresentationStateMachine.Stock()
    let parts = draw.byte()
    if parts & 1 != 0 {
        stock.video = .init(
            isReady: parts & 2 != 0,
            end: draw.time(),
            isComplete: parts & 4 != 0,
            lastArrival: now - Int64(draw.index(1 << 16)) * 1_000_000
        )
    }
    if parts & 8 != 0 { stock.audio = .init(ahead: draw.time(), end: draw.time(), isComplete: parts & 16 != 0) }
    if parts & 32 != 0 { stock.taken = draw.time() }
    stock.isNextLapReady = parts & 64 != 0
    return stock
}

private func place(_ draw: inout Draw) -> AudioMap.Place? {
    draw.byte() & 1 == 0 ? nil : .init(time: draw.time(), rate: 1, lap: UInt64(draw.byte()))
}

private func exerciseTap(_ numbers: Draw) {
    var draw = numbers
    var pace = TapPace(draw.byte() & 1 == 0 ? .free(from: draw.time()) : .playhead(lead: AudioTapRequest.usualLead))
    for _ in 0..<100 where !draw.isEmpty {
        let anchor = PositionAnchor(
            position: draw.time(),
            rate: [0, 0.25, 1, 4][draw.index(4)],
            monotonicNanoseconds: 1_000_000_000,
            requestedRate: 1
        )
        let step = pace.step(anchor, jumps: UInt64(draw.byte() & 3), isEntered: draw.byte() & 1 == 0, at: 2_000_000_000)
        if case .wait(.some(let moment)) = step { expect(moment >= 2_000_000_000, "nobody waits for the past") }
        if draw.byte() & 1 == 0 { pace.gave(to: draw.time()) }
    }
}

private func exercisePlan(_ numbers: Draw) {
    var draw = numbers
    var spans = LongSpans(longerThan: draw.number(), isReplaced: draw.byte() & 1 == 0)
    var times: [Int64] = []
    for _ in 0..<100 where !draw.isEmpty {
        let time = draw.number()
        times.append(time)
        spans.add(at: time, lasting: draw.byte() & 1 == 0 ? nil : draw.number(), position: time)
        let base = TimeBase(1 + Int64(draw.byte()), 1 + Int64(draw.index(1 << 16)))
        let there = base.rescale(time, to: .microseconds)
        _ = MediaTime(microseconds: there).ticks(in: base, rounding: draw.byte() & 1 == 0 ? .up : .down)
    }
    expect(spans.on(at: draw.number()).count <= 64, "few are on at one time")
    _ = ClockSamples.areUneven(times, minute: draw.number())
    let shown = PresentationTimes.times(of: times, sent: times.sorted())
    expect(shown.count == times.count, "one time a picture")
    _ = PresentationTimes.corrected(shown, by: times.map { $0 & 1 == 0 ? nil : $0 })
}
