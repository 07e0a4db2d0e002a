// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// Puts the pictures of one ring into its memory, on a thread of its own.
actor FrameWriter {
    enum Result: Sendable {
        case written
        /// It takes so many bytes, and there is less room in a slot.
        case needs(Int)
        /// It does not lie in memory as pixels, or is larger than any slot may be.
        case impossible(String)
    }

    /// More than any picture of a film takes, and what three of fit beside each other.
    static let byteLimit = 320 << 20

    private let executor: ThreadExecutor
    private var writer: PictureWriter

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    init(_ request: FramesRequest) {
        executor = ThreadExecutor(name: "frames")
        writer = Self.pictures(request)
    }

    func write(_ picture: TimedPicture, to memory: RingMemory, slot: Int) -> Result {
        guard let layout = writer.layout(of: picture.frame) else {
            return .impossible("pictures of \(picture.frame.width)x\(picture.frame.height) cannot be handed out")
        }
        guard layout.byteCount <= memory.pictureBytes else { return .needs(layout.byteCount) }
        memory.close(slot)
        do throws(FFmpegError) {
            let place = memory.pictureOffset(of: slot)
            let facts = try writer.write(picture.frame, as: layout, to: memory.ring, at: place)
            memory.describe(slot, picture, facts, layout)
            return .written
        } catch {
            return .impossible("a picture cannot be converted: \(error)")
        }
    }

    private static func pictures(_ request: FramesRequest) -> PictureWriter {
        PictureWriter(
            request.format,
            largestWidth: request.maximumWidth ?? FramesRequest.largestSide,
            largestHeight: request.maximumHeight ?? FramesRequest.largestSide,
            byteLimit: byteLimit
        )
    }

    /// The bytes of a picture of a source of this size; of a source's own format a guess, for 8 bits and 4:2:0.
    static func expectedBytes(_ request: FramesRequest, width: Int, height: Int) -> Int {
        let isKnown = width > 0 && height > 0
        let writer = pictures(request)
        let (width, height) = isKnown ? (width, height) : (1920, 1080)
        return writer.layout(ofSource: width, height)?.byteCount ?? byteLimit
    }
}
