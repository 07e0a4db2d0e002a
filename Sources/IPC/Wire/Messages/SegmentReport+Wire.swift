// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension SegmentReport {
    package func framed() -> [UInt8] {
        var report = Proto.SegmentReport()
        report.tracks = tracks.map(\.wire)
        report.problems = problems
        return report.framed()
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        let wire = try Proto.SegmentReport(bytes)
        var report = SegmentReport()
        report.tracks = wire.tracks.map(Track.init(wire:))
        report.problems = wire.problems
        self = report
    }
}

extension SegmentReport.Track {
    var wire: Proto.SegmentTrack {
        var wire = Proto.SegmentTrack()
        wire.codec = codec
        wire.packets = UInt32(clamping: packets)
        wire.decodedFrames = UInt32(clamping: decodedFrames)
        wire.decodeErrors = UInt32(clamping: decodeErrors)
        wire.startMicroseconds = start.microseconds
        wire.endMicroseconds = end.microseconds
        wire.startsWithKeyframe = startsWithKeyframe
        return wire
    }

    init(wire: Proto.SegmentTrack) {
        self.init()
        codec = wire.codec
        packets = Int(wire.packets)
        decodedFrames = Int(wire.decodedFrames)
        decodeErrors = Int(wire.decodeErrors)
        start = MediaTime(microseconds: wire.startMicroseconds)
        end = MediaTime(microseconds: wire.endMicroseconds)
        startsWithKeyframe = wire.startsWithKeyframe
    }
}
