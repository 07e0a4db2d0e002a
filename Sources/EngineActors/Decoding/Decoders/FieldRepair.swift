// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Deinterlaces frames where that is requested, and assigns presentation times to the resulting frames.
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

    /// Whether frames are currently replaced by deinterlaced ones.
    var isEngaged: Bool { mutating get { deinterlacer?.isEngaged ?? false } }

    /// Forgets earlier frames, because the next frame does not follow them.
    mutating func reset() { deinterlacer?.reset() }

    /// Takes the next frame and returns the finished frames, usually the same one.
    mutating func add(
        _ frame: VideoFrame,
        _ moment: FrameTimeline.Moment
    ) -> [(VideoFrame, FrameTimeline.Moment)] {
        guard let isEngaged = deinterlacer?.isEngaged, isEngaged || frame.isInterlaced else { return [(frame, moment)] }
        do throws(FFmpegError) {
            return try deinterlacer?.add(frame, at: moment.time.microseconds).map(Self.timed) ?? []
        } catch {
            // A frame that cannot be deinterlaced is shown as it is.
            deinterlacer?.reset()
            return [(frame, moment)]
        }
    }

    /// The remaining frames, after the last one was added.
    mutating func finish() -> [(VideoFrame, FrameTimeline.Moment)] {
        do throws(FFmpegError) {
            return try deinterlacer?.finish().map(Self.timed) ?? []
        } catch {
            // The frames that the deinterlacer still holds are lost.
            deinterlacer?.reset()
            return []
        }
    }

    /// Without a duration: the time of the next frame determines it.
    private static func timed(_ deinterlaced: Deinterlacer.Timed) -> (VideoFrame, FrameTimeline.Moment) {
        let time = MediaTime(microseconds: deinterlaced.time)
        return (deinterlaced.frame, FrameTimeline.Moment(time: time, length: nil, earlier: nil))
    }
}
