// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel

/// Applies filters, adjustments, subtitles and overlays to frames, between the decoder and the sinks. Belongs to the thread that
/// owns the frames.
///
/// Returns one frame for each frame it is given, with the same times and in the same order; if there is nothing to
/// apply, the frame itself. A change takes effect between two frames. What fails is reported: a filter is removed,
/// adjustments and subtitles are left out, and all overlays are left out until the treatment changes.
package struct FrameFilters: ~Copyable {
    private let sharedTreatment: SharedTreatment
    private let rotation: Int
    private let aspect: Ratio?
    private let cache: OverlayCache
    private var version: UInt64 = 0
    private var treatment = PictureTreatment()
    private var filters: FilterStage
    private var adjustments: FilterStage
    private var overlays: FilterStage
    private var subtitles: SubtitleStage
    /// The shape of the last frame that could not be adjusted.
    private var unadjustable: FrameShape?
    private var layers: OverlayLayers

    /// - Parameters:
    ///   - rotation: how far frames are rotated clockwise for display, in degrees.
    ///   - aspect: the pixel aspect ratio, where a frame does not give one.
    ///   - threads: the maximum number of threads that work on one frame.
    package init(_ sharedTreatment: SharedTreatment, rotation: Int = 0, aspect: Ratio? = nil, threads: Int = 2) {
        self.sharedTreatment = sharedTreatment
        self.rotation = ((rotation % 360) + 360) % 360
        self.aspect = aspect
        cache = OverlayCache(sharedTreatment) { [sharedTreatment] name, error in
            let reason = error.cause.isEmpty ? error.message : error.cause
            sharedTreatment.report(.overlayFailed(name: name, reason: reason))
        }
        layers = OverlayLayers()
        filters = FilterStage(threads: threads)
        adjustments = FilterStage(threads: threads)
        overlays = FilterStage(threads: threads)
        subtitles = SubtitleStage(rotation: self.rotation, threads: threads)
    }

    /// - Parameter images: the subtitles of each frame. Frames beyond the end of `images` have none.
    package mutating func apply(_ frames: [TimedFrame], showing images: [[CueImage]] = []) -> [TimedFrame] {
        var treated: [TimedFrame] = []
        treated.reserveCapacity(frames.count)
        for (place, timed) in frames.enumerated() {
            treated.append(apply(timed, showing: place < images.count ? images[place] : []))
        }
        return treated
    }

    package mutating func apply(_ timed: TimedFrame, showing images: [CueImage] = []) -> TimedFrame {
        if let (treatment, version) = sharedTreatment.changed(since: version) {
            (self.treatment, self.version) = (treatment, version)
        }
        guard !treatment.isIdentity || !images.isEmpty else {
            if layers.clear() { sharedTreatment.report(.placed([:])) }
            return timed
        }
        var frame = timed.frame
        if !treatment.filters.isEmpty { frame = filtered(frame) }
        if treatment.adjustments != .neutral { frame = adjusted(frame) }
        if !images.isEmpty { frame = subtitled(frame, images) }
        frame = overlaid(frame)
        return TimedFrame(frame: frame, time: timed.time, duration: timed.duration)
    }

    /// Whether all overlays are drawn and in place.
    package var areOverlaysDrawn: Bool { treatment.overlays.isEmpty || layers.isComplete }

    /// Forgets earlier frames: the next frame does not follow them, and no filter may mix it with them.
    package mutating func flush() {
        filters.flush()
        adjustments.flush()
        overlays.flush()
        subtitles.flush()
    }

    // MARK: Filters

    private mutating func filtered(_ frame: VideoFrame) -> VideoFrame {
        let shape = frame.shape
        while !treatment.filters.isEmpty {
            do throws(FFmpegError) {
                return try filters.apply(frame, of: shape, by: Self.chain(treatment.filters, shape))
            } catch {
                takeOut(Self.culprit(treatment.filters, frame, shape), error)
            }
        }
        return frame
    }

    private mutating func takeOut(_ culprit: AppliedFilter?, _ error: FFmpegError) {
        guard let filter = culprit ?? treatment.filters.last else { return }
        treatment.remove(filter: filter.id)
        sharedTreatment.report(.filterFailed(filter, reason: error.description))
    }

    /// The last filter of the shortest prefix of the chain that fails on the frame. `nil` if none fails.
    private static func culprit(
        _ filters: [AppliedFilter],
        _ frame: VideoFrame,
        _ shape: FrameShape
    ) -> AppliedFilter? {
        for count in 1...max(1, filters.count) {
            var trial = FilterStage(threads: 1)
            let head = Array(filters.prefix(count))
            do throws(FFmpegError) { _ = try trial.apply(frame, of: shape, by: chain(head, shape)) } catch {
                return head.last
            }
        }
        return nil
    }

    private static func chain(_ filters: [AppliedFilter], _ shape: FrameShape) -> String {
        pinned(filters.map(\.filter.description), shape)
    }

    /// Appends a conversion to the frame's own pixel format, so that sinks receive an unchanged format.
    private static func pinned(_ filters: [String], _ shape: FrameShape) -> String {
        (filters + (shape.isWritable ? ["format=\(shape.pixelFormat)"] : [])).joined(separator: ",")
    }

    // MARK: Adjustments

    private mutating func adjusted(_ frame: VideoFrame) -> VideoFrame {
        let shape = frame.shape
        guard shape != unadjustable else { return frame }
        let chain = AdjustmentChain.filters(treatment.adjustments, for: shape)
        guard !chain.isEmpty else { return frame }
        do throws(FFmpegError) {
            return try adjustments.apply(frame, of: shape, by: Self.pinned(chain, shape))
        } catch {
            unadjustable = shape
            sharedTreatment.report(.adjustmentsFailed(reason: error.description))
            return frame
        }
    }

    // MARK: Subtitles

    private mutating func subtitled(_ frame: VideoFrame, _ images: [CueImage]) -> VideoFrame {
        do throws(FFmpegError) {
            return try subtitles.apply(images, to: frame, of: shape(of: frame))
        } catch {
            sharedTreatment.report(.subtitlesFailed(reason: error.description))
            return frame
        }
    }

    /// The shape of a frame, with the pixel aspect ratio of the container if the frame does not give one.
    private func shape(of frame: VideoFrame) -> FrameShape {
        var shape = frame.shape
        if !shape.declaresAspect, let aspect { shape.aspect = aspect }
        return shape
    }

    // MARK: Overlays

    private mutating func overlaid(_ frame: VideoFrame) -> VideoFrame {
        guard !treatment.overlays.isEmpty else {
            if layers.clear() { sharedTreatment.report(.placed([:])) }
            return frame
        }
        let shape = shape(of: frame)
        if let places = layers.arrange(treatment.overlays, on: shape, frame.color, rotation: rotation) {
            sharedTreatment.report(.placed(places))
        }
        if !layers.isComplete { layers.take(cache.drawings(layers.keys)) }
        guard !layers.isEmpty else { return frame }
        do throws(FFmpegError) {
            return try overlays.apply(
                frame,
                of: shape,
                by: layers.description(pinning: shape.isWritable ? shape.pixelFormat : nil),
                stills: layers.stills,
                edition: layers.edition
            )
        } catch {
            for overlay in treatment.overlays {
                sharedTreatment.report(.overlayFailed(name: overlay.name, reason: error.description))
            }
            treatment.overlays = []
            return frame
        }
    }
}
