// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Makes pictures of one moment of those that hold two, where that is wanted, and says when they are shown.
///
/// Not thread-safe: part of a `SoftwareVideoDecoder`.
struct FieldRepair: ~Copyable {
    private var deinterlacer: Deinterlacer?

    init(_ rate: Deinterlacer.Rate?) { deinterlacer = rate.map(Self.make) }

    private static func make(_ rate: Deinterlacer.Rate) -> Deinterlacer {
        Deinterlacer(rate: rate, threads: VideoDecoder.coreCount)
    }

    mutating func change(to rate: Deinterlacer.Rate?) {
        if let rate { deinterlacer = Self.make(rate) } else { deinterlacer = nil }
    }

    /// Whether pictures become others.
    var isEngaged: Bool { mutating get { deinterlacer?.isEngaged ?? false } }

    /// What follows does not continue what was taken.
    mutating func reset() { deinterlacer?.reset() }

    /// Takes the next picture and gives those that are done: most often the same.
    mutating func add(
        _ frame: VideoFrame,
        _ moment: PictureTimeline.Moment
    ) -> [(VideoFrame, PictureTimeline.Moment)] {
        guard let isEngaged = deinterlacer?.isEngaged, isEngaged || frame.isInterlaced else { return [(frame, moment)] }
        do throws(FFmpegError) {
            return try deinterlacer?.add(frame, at: moment.time.microseconds).map(Self.timed) ?? []
        } catch {
            // One that cannot be repaired is shown as it is.
            deinterlacer?.reset()
            return [(frame, moment)]
        }
    }

    /// What is still to come when nothing follows.
    mutating func finish() -> [(VideoFrame, PictureTimeline.Moment)] {
        do throws(FFmpegError) {
            return try deinterlacer?.finish().map(Self.timed) ?? []
        } catch {
            // What came out before is all there is.
            deinterlacer?.reset()
            return []
        }
    }

    /// How long it is shown, the one behind it tells.
    private static func timed(_ picture: Deinterlacer.Timed) -> (VideoFrame, PictureTimeline.Moment) {
        let time = MediaTime(microseconds: picture.time)
        return (picture.frame, PictureTimeline.Moment(time: time, length: nil, earlier: nil))
    }
}
