// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

extension FrameFinder {
    /// The maximum number of packets read to find a time.
    private static let patience = 2000

    /// Whether the clock of a transport stream seems to restart midway. `false` for any other container. The read
    /// position is undefined afterwards.
    func hasUnevenClock() throws(EngineError) -> Bool {
        guard facts.container.isMPEGTS else { return false }
        let size = Int64(clamping: reader.file.byteCount)
        var times: [Int64] = []
        for place in 0..<ClockSamples.count {
            guard let time = try time(atByte: size / Int64(ClockSamples.count) * Int64(place)) else { continue }
            times.append(time)
        }
        return ClockSamples.areUneven(times, minute: MediaTime.seconds(60).ticks(in: facts.stream.timeBase))
    }

    /// The decode time of the first frame after a byte position. `nil` if none is found nearby.
    private func time(atByte position: Int64) throws(EngineError) -> Int64? {
        do throws(FFmpegError) {
            try reader.seek(byte: position)
        } catch {
            return nil
        }
        for _ in 0..<Self.patience {
            try stopIfCancelled()
            guard let packet = try reader.readPacket() else { return nil }
            if packet.streamIndex == facts.stream.index, packet.pts != nil, let time = packet.dts { return time }
        }
        return nil
    }
}
