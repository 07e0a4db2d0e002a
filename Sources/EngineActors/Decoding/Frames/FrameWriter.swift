// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// Writes the frames of one ring into its memory, on its own thread.
actor FrameWriter {
    enum Result: Sendable {
        case written
        /// The frame needs this many bytes, more than a slot has.
        case needs(Int)
        /// The frame has no pixels in memory, cannot be converted, or exceeds the size limit of a slot.
        case impossible
    }

    /// The maximum size of a frame, in bytes: small enough that three slots fit into a ring.
    static let byteLimit = 320 << 20

    /// HDR metadata, which decoders attach only to some frames. It applies to the frames of one epoch with the same
    /// colours.
    private struct Light {
        let epoch: UInt64
        let color: ColorDescription
        var masteringDisplay: MasteringDisplay?
        var contentLight: ContentLight?
    }

    /// Frames with fewer pixels are converted on one thread: to distribute their rows would take as long as to convert
    /// them.
    private static let sharedPixels = 3_000_000
    private static let threadLimit = 4

    private let executor: ThreadExecutor
    private var writer: PixelWriter
    private var light: Light?
    /// Created for the first large frame.
    private var helpers: [RowHelper] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    init(_ request: FramesRequest) {
        executor = ThreadExecutor(name: "frames")
        writer = Self.pixelWriter(request)
    }

    /// - Parameter reservation: the slot to write to.
    func write(_ timed: TimedFrame, to reservation: FrameRingState.Reservation) async -> Result {
        let (memory, slot) = (reservation.memory, reservation.slot)
        if let layout = reservation.layout {
            memory.close(slot)
            describe(timed, reservation, timed.frame.facts, layout)
            return .written
        }
        guard let layout = writer.layout(of: timed.frame) else { return .impossible }
        let need = max(layout.byteCount, reservation.wantedBytes)
        guard need <= memory.frameBytes else { return .needs(need) }
        memory.close(slot)
        do throws(FFmpegError) {
            let place = memory.frameOffset(of: slot)
            let (facts, rows) = try writer.write(timed.frame, as: layout, to: memory.ring, at: place)
            if let rows { await run(rows) }
            describe(timed, reservation, facts, layout)
            return .written
        } catch {
            return .impossible
        }
    }

    /// Converts the rows of a frame, on several threads if the frame is large.
    private func run(_ rows: RowConversion) async {
        let threads = rows.pixelCount < Self.sharedPixels ? 1 : min(Self.threadLimit, VideoDecoder.coreCount)
        while helpers.count < threads - 1 { helpers.append(RowHelper(name: "frames-\(helpers.count + 2)")) }
        let parts = rows.parts(threads)
        let helpers = helpers
        await withTaskGroup { group in
            for (helper, part) in zip(helpers, parts.dropFirst()) {
                group.addTask { await helper.run(rows, part) }
            }
            // Only a closure that captures the actor runs on the actor's thread.
            for part in parts.prefix(1) { self.convert(rows, part) }
        }
    }

    private func convert(_ rows: RowConversion, _ part: Range<Int>) { rows.run(part) }

    private func describe(
        _ timed: TimedFrame,
        _ reservation: FrameRingState.Reservation,
        _ facts: FrameFacts,
        _ layout: PlaneLayout
    ) {
        var facts = facts
        if facts.rotation == 0 { facts.rotation = timed.rotation }
        if !facts.hasAspectRatio, let aspect = timed.aspect { facts.aspectRatio = aspect }
        remember(&facts, reservation.epoch)
        reservation.memory.describe(reservation.slot, timed, facts, layout)
    }

    /// Carries HDR metadata over to later frames, until a frame brings new metadata, until the colours change, or until
    /// a flush, after which another source may follow.
    private func remember(_ facts: inout FrameFacts, _ epoch: UInt64) {
        var known = Light(epoch: epoch, color: facts.color)
        if let light, light.epoch == epoch, light.color == facts.color { known = light }
        known.masteringDisplay = facts.masteringDisplay ?? known.masteringDisplay
        known.contentLight = facts.contentLight ?? known.contentLight
        (facts.masteringDisplay, facts.contentLight) = (known.masteringDisplay, known.contentLight)
        light = known
    }

    private static func pixelWriter(_ request: FramesRequest) -> PixelWriter {
        PixelWriter(
            request.format,
            largestWidth: request.maximumWidth ?? FramesRequest.largestSide,
            largestHeight: request.maximumHeight ?? FramesRequest.largestSide,
            byteLimit: byteLimit
        )
    }

    /// The bytes that a slot needs for the frames of a source of this size; an unknown size counts as 1920 × 1080. An
    /// estimate for 8-bit 4:2:0 if the source's own format is wanted.
    static func expectedBytes(_ request: FramesRequest, width: Int, height: Int) -> Int {
        let isKnown = width > 0 && height > 0
        let writer = pixelWriter(request)
        let (width, height) = isKnown ? (width, height) : (1920, 1080)
        let byteCount = writer.layout(ofSource: width, height)?.byteCount ?? byteLimit
        guard request.maySuitDecoders else { return byteCount }
        return min(byteLimit, max(byteCount, PlaneLayout.decodedBytes(width: width, height: height)))
    }
}

/// Converts rows on its own thread.
private actor RowHelper {
    private let executor: ThreadExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    init(name: String) { executor = ThreadExecutor(name: name) }

    func run(_ conversion: RowConversion, _ rows: Range<Int>) { conversion.run(rows) }
}
