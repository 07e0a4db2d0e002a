// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime

/// All who are shown a session's pictures, as one sink.
///
/// Each has its pictures in order, whatever the others do. One that comes later is given what is on the screen and what comes
/// next; while there is nobody, pictures pass as time does.
package final class PictureOutlets: PictureSink {
    private struct Lane {
        let sink: any PictureSink
        /// The last picture that was given; the next waits for it.
        var tail: Task<Reception, Never>?
    }

    private struct State {
        var lanes: [Lane] = []
        var generation: UInt64?
        var anchor: PositionAnchor?
        var hasEnded = false
        /// From the one on the screen on.
        var shown: [TimedPicture] = []

        mutating func keep(_ picture: TimedPicture) {
            shown.append(picture)
            let now = monotonicNanoseconds()
            while shown.count > 1 {
                let isNextShown = anchor?.moment(of: shown[1].time).map { $0 <= now } ?? false
                guard isNextShown || shown.count > PictureOutlets.keptCount else { return }
                shown.removeFirst()
            }
        }
    }

    /// Pictures that are kept for those who come later.
    private static let keptCount = 8

    private let state = Locked(State())
    private let signal = RoomSignal()

    package init() {}

    // MARK: Sinks

    package func add(_ sink: any PictureSink) {
        state.withLock { state in
            var lane = Lane(sink: sink)
            if let generation = state.generation {
                sink.flush(to: generation)
                if let anchor = state.anchor { sink.follow(anchor, generation: generation) }
                for picture in state.shown { _ = Self.give(picture, generation, on: &lane) }
                if state.hasEnded {
                    let tail = lane.tail
                    // Ends with the tail, which `remove` cancels.
                    Task {
                        _ = await tail?.value
                        sink.finish(generation: generation)
                    }
                }
            }
            state.lanes.append(lane)
        }
        signal.signal()
    }

    package func remove(_ sink: any PictureSink) {
        state.withLock { state in
            for lane in state.lanes where lane.sink === sink { lane.tail?.cancel() }
            state.lanes.removeAll { $0.sink === sink }
        }
        signal.signal()
    }

    /// The task is waited for by the next one, and by whoever gives the picture.
    private static func give(
        _ picture: TimedPicture,
        _ generation: UInt64,
        on lane: inout Lane
    ) -> Task<Reception, Never> {
        let (sink, earlier) = (lane.sink, lane.tail)
        let task = Task {
            if let earlier, await earlier.value == .gone { return Reception.gone }
            return await sink.take(picture, generation: generation)
        }
        lane.tail = task
        return task
    }

    // MARK: PictureSink

    /// One that takes every picture makes all of them wait.
    package var isRealTime: Bool { state.withLock { $0.lanes.allSatisfy(\.sink.isRealTime) } }

    package func take(_ picture: TimedPicture, generation: UInt64) async -> Reception {
        let tasks = state.withLock { state -> [Task<Reception, Never>]? in
            guard generation == state.generation else { return nil }
            state.keep(picture)
            return state.lanes.indices.map { Self.give(picture, generation, on: &state.lanes[$0]) }
        }
        guard let tasks else { return .dropped }
        if tasks.isEmpty { return await pass(picture, generation) }
        return await withTaskCancellationHandler {
            var isTaken = false
            for task in tasks where await task.value == .taken { isTaken = true }
            return isTaken ? .taken : .dropped
        } onCancel: {
            for task in tasks { task.cancel() }
        }
    }

    /// Nobody looks: the picture is over when it is due, or when somebody comes, who is given it.
    private func pass(_ picture: TimedPicture, _ generation: UInt64) async -> Reception {
        while !Task.isCancelled {
            let visit = signal.visit
            let (isOver, moment) = state.withLock { state in
                let isOver = generation != state.generation || !state.lanes.isEmpty
                return (isOver, state.anchor?.moment(of: picture.time))
            }
            if isOver { return .taken }
            if let moment, moment <= monotonicNanoseconds() { return .taken }
            await signal.wait(after: visit, until: moment)
        }
        return .dropped
    }

    package func flush(to generation: UInt64) {
        let sinks = state.withLock { state in
            state.generation = generation
            state.anchor = nil
            state.hasEnded = false
            state.shown = []
            return state.lanes.map(\.sink)
        }
        for sink in sinks { sink.flush(to: generation) }
        signal.signal()
    }

    package func follow(_ anchor: PositionAnchor, generation: UInt64) {
        let sinks = state.withLock { state -> [any PictureSink] in
            guard generation == state.generation else { return [] }
            state.anchor = anchor
            return state.lanes.map(\.sink)
        }
        for sink in sinks { sink.follow(anchor, generation: generation) }
        signal.signal()
    }

    package func finish(generation: UInt64) {
        let sinks = state.withLock { state -> [any PictureSink] in
            guard generation == state.generation else { return [] }
            state.hasEnded = true
            return state.lanes.map(\.sink)
        }
        for sink in sinks { sink.finish(generation: generation) }
    }
}
