// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

extension SegmentReport {
    package func framed() -> [UInt8] {
        unsafe encodeFramed { arena in
            let report = unsafe arena.message(Engine__V1__SegmentReport.self)
            unsafe report.pointee.n_tracks = tracks.count
            unsafe report.pointee.tracks = arena.array(tracks) { unsafe .some($0.wire(in: arena)) }
            unsafe report.pointee.n_problems = problems.count
            unsafe report.pointee.problems = arena.array(problems) { unsafe .some(arena.string($0)) }
            return unsafe report
        }
    }

    package init(wire bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__SegmentReport.self) { wire throws(EngineError) in
            var report = SegmentReport()
            report.tracks = try unsafe values(wire.tracks, wire.n_tracks) { track throws(EngineError) in
                unsafe Track(wire: track)
            }
            report.problems = unsafe texts(wire.problems, wire.n_problems)
            return report
        }
    }
}

extension SegmentReport.Track {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__SegmentTrack> {
        let wire = unsafe arena.message(Engine__V1__SegmentTrack.self)
        unsafe wire.pointee.codec = arena.string(codec)
        unsafe wire.pointee.packets = UInt32(clamping: packets)
        unsafe wire.pointee.decoded_frames = UInt32(clamping: decodedFrames)
        unsafe wire.pointee.decode_errors = UInt32(clamping: decodeErrors)
        unsafe wire.pointee.start_us = start.microseconds
        unsafe wire.pointee.end_us = end.microseconds
        unsafe wire.pointee.starts_with_keyframe = startsWithKeyframe ? 1 : 0
        return unsafe wire
    }

    init(wire: Engine__V1__SegmentTrack) {
        self.init()
        codec = unsafe text(wire.codec)
        packets = Int(unsafe wire.packets)
        decodedFrames = Int(unsafe wire.decoded_frames)
        decodeErrors = Int(unsafe wire.decode_errors)
        start = MediaTime(microseconds: unsafe wire.start_us)
        end = MediaTime(microseconds: unsafe wire.end_us)
        startsWithKeyframe = unsafe wire.starts_with_keyframe != 0
    }
}
