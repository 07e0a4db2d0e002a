// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Packaging

@testable import Bindings
@testable import Reading
@testable import Segments

/// The demuxers of a source without media. Each segment has one frame of video and one of audio; each of their bytes is
/// the index of the segment.
final class ScriptedDemuxers: Sendable {
    private struct Script {
        var gates: [Int: Gate] = [:]
        var failures: [Int: EngineError] = [:]
        var log: [Int] = []
        var opened: [Int] = []
        var interrupted: Set<Int> = []
        var closed: Set<Int> = []
        var closing: Gate?
        var tracks: [Int: Set<Int>] = [:]
    }

    static let byteCount = 1000
    private let script = Locked(Script())

    /// Holds the reads of a segment until the gate opens.
    func hold(_ index: Int, at gate: Gate) { script.withLock { $0.gates[index] = gate } }

    /// Holds the closing of every demuxer until the gate opens.
    func holdClosing(at gate: Gate) { script.withLock { $0.closing = gate } }

    /// Makes the reads of a segment fail; with `nil`, they succeed again.
    func fail(_ index: Int, with error: EngineError?) { script.withLock { $0.failures[index] = error } }

    /// The segments that were read, in order.
    var log: [Int] { script.withLock { $0.log } }
    /// The numbers of the demuxers that were opened after the first one.
    var opened: [Int] { script.withLock { $0.opened } }
    var interrupted: Set<Int> { script.withLock { $0.interrupted } }
    var closed: Set<Int> { script.withLock { $0.closed } }
    /// The tracks for which a segment was last read; `nil` if it was never read.
    func tracks(of index: Int) -> Set<Int>? { script.withLock { $0.tracks[index] } }

    func first() -> any SegmentReading { Demuxer(number: 0, all: self) }

    func open(_ number: Int) -> any SegmentReading {
        script.withLock { $0.opened.append(number) }
        return Demuxer(number: number, all: self)
    }

    private struct Demuxer: SegmentReading {
        let number: Int
        let all: ScriptedDemuxers

        func read(
            segment index: Int,
            of plan: SegmentPlan,
            trackEnds: [MediaTime?],
            active: Set<Int>,
            subtitles: Set<Int>
        ) async throws(EngineError) -> SegmentMaterial {
            let (gate, failure) = all.script.withLock { script in
                script.log.append(index)
                script.tracks[index] = active
                return (script.gates[index], script.failures[index])
            }
            await gate?.pass()
            guard !all.interrupted.contains(number) else { throw EngineError(.cancelled, "the read was interrupted") }
            if let failure { throw failure }
            let start = plan.boundaries[index].time
            let parts = [0, 1].map { track in
                active.contains(track) ? Self.part(index, track, start: start, next: plan.endTime(of: index)) : nil
            }
            var material = SegmentMaterial(index: index, parts: parts)
            if !subtitles.isEmpty { material.subtitles = [Packet([UInt8(index)], stream: 2)] }
            return material
        }

        private static func part(_ index: Int, _ track: Int, start: Int64, next: Int64?) -> SegmentMaterial.Part {
            let bytes = [UInt8](repeating: UInt8(index), count: ScriptedDemuxers.byteCount)
            let packet = Packet(bytes, stream: track, pts: start, dts: start, duration: 20, flags: .key)
            return SegmentMaterial.Part(packets: [TimedPacket(packet: packet, time: start)], start: start, next: next)
        }

        func interrupt() {
            let gates = all.script.withLock { script in
                script.interrupted.insert(number)
                return Array(script.gates.values)
            }
            for gate in gates { gate.open() }
        }

        func close() async {
            await all.script.withLock(\.closing)?.pass()
            _ = all.script.withLock { $0.closed.insert(number) }
        }
    }
}
