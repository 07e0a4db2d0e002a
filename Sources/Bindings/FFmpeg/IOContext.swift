// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import EngineModel
internal import Glibc

/// The C side of reading a source: an `AVIOContext` that reads from a `ByteCursor`.
///
/// Not thread-safe: used by the one thread that owns the format context.
@safe struct IOContext: ~Copyable {
    /// The state that the C callbacks use.
    private final class Bridge {
        let store: any ByteCursor
        let interrupt: InterruptFlag
        var offset: Int64 = 0
        var skipsPayload = false
        var failure: EngineError?

        init(store: any ByteCursor, interrupt: InterruptFlag) {
            self.store = store
            self.interrupt = interrupt
        }

        static func borrowed(from opaque: UnsafeMutableRawPointer?) -> Bridge {
            guard let opaque = unsafe opaque else { preconditionFailure("AVIOContext.opaque was cleared") }
            return unsafe Unmanaged<Bridge>.fromOpaque(opaque).takeUnretainedValue()
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> CInt {
            if interrupt.isUp { return CFFmpegErrorExit }
            do throws(EngineError) {
                if skipsPayload, buffer.count > IOContext.headerBufferSize, offset < store.byteCount {
                    return try unsafe skip(buffer)
                }
                var output = unsafe OutputRawSpan(buffer: buffer, initializedCount: 0)
                let count = try store.read(at: offset, into: &output)
                offset += Int64(count)
                return count == 0 ? CFFmpegErrorEOF : CInt(count)
            } catch {
                if error.code == .cancelled { return CFFmpegErrorExit }
                failure = error
                return cffmpeg_averror(EIO)
            }
        }

        /// Reads only the first bytes and leaves the rest of the buffer unset. The first bytes are needed because the
        /// previous read may have ended within the header of a Matroska block, whose flags mark keyframes.
        private func skip(_ buffer: UnsafeMutableRawBufferPointer) throws(EngineError) -> CInt {
            let count = Int(min(Int64(buffer.count), store.byteCount - offset))
            let head = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(count, IOContext.blockHeaderSize)])
            var output = unsafe OutputRawSpan(buffer: head, initializedCount: 0)
            _ = try store.read(at: offset, into: &output)
            offset += Int64(count)
            return CInt(count)
        }

        func seek(to target: Int64, whence: CInt) -> Int64 {
            switch whence & ~CInt(AVSEEK_FORCE) {
            case CInt(AVSEEK_SIZE): return store.byteCount
            case 0:  // SEEK_SET
                guard target <= store.byteCount || !store.isGrowing || store.isNear(target) else {
                    return missing(target)
                }
                offset = target
            case 1: offset &+= target  // SEEK_CUR
            case 2: offset = store.byteCount &+ target  // SEEK_END
            default: return Int64(CFFmpegErrorInvalidData)
            }
            return offset
        }

        private func missing(_ target: Int64) -> Int64 {
            failure = EngineError(
                .sourceNotReadable,
                "the media cannot be read in the order in which the source grows",
                cause: "byte \(target) is needed before there are more than \(store.byteCount)"
            )
            return Int64(cffmpeg_averror(EIO))
        }
    }

    /// Longer reads bypass libavformat's buffer: they are payload, never a header.
    static let headerBufferSize = 4 << 10
    /// At least the size of the header of a Matroska block, with the sizes of its laced frames.
    private static let blockHeaderSize = 512
    private static let streamingBufferSize = 64 << 10

    private let bridge: Unmanaged<Bridge>
    let pointer: UnsafeMutablePointer<AVIOContext>
    /// Whether the source was growing when this context was made.
    let openedWhileGrowing: Bool

    /// - Parameter headersOnly: keep the buffer small, so that `skipPayload()` can tell headers from payload.
    init(reading store: any ByteCursor, headersOnly: Bool, interrupt: InterruptFlag) {
        let size = headersOnly ? Self.headerBufferSize : Self.streamingBufferSize
        let bridge = unsafe Unmanaged.passRetained(Bridge(store: store, interrupt: interrupt))
        let buffer = unsafe av_malloc(size)?.assumingMemoryBound(to: UInt8.self)
        let context = unsafe avio_alloc_context(
            allocated(buffer, by: "av_malloc"),
            CInt(size),
            0,
            bridge.toOpaque(),
            { opaque, bytes, count in
                let target = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
                return unsafe Bridge.borrowed(from: opaque).read(into: target)
            },
            nil,
            { opaque, offset, whence in unsafe Bridge.borrowed(from: opaque).seek(to: offset, whence: whence) }
        )
        unsafe self.bridge = bridge
        unsafe self.pointer = allocated(context, by: "avio_alloc_context")
        openedWhileGrowing = store.isGrowing
        if openedWhileGrowing { unsafe pointer.pointee.seekable = 0 }
    }

    /// Allows the demuxer to seek in a growing source. Until then, the demuxer does not search the end of the source.
    ///
    /// - Returns: `false` if the demuxer could seek already.
    func allowSeeks() -> Bool {
        defer { unsafe pointer.pointee.seekable = AVIO_SEEKABLE_NORMAL }
        return unsafe pointer.pointee.seekable == 0
    }

    deinit {
        // libavformat may have replaced the buffer, so free the one the context holds now.
        unsafe av_freep(&pointer.pointee.buffer)
        var pointer: UnsafeMutablePointer<AVIOContext>? = unsafe pointer
        unsafe avio_context_free(&pointer)
        unsafe bridge.release()
    }

    /// From now on, payloads are skipped instead of read: packets have their size and timestamps, but not their bytes.
    /// For walking over a whole file; unsuitable for a demuxer that must inspect payloads.
    func skipPayload() {
        unsafe bridge._withUnsafeGuaranteedRef { $0.skipsPayload = true }
    }

    /// The byte position of the next read from the source.
    var fileOffset: Int64 { unsafe bridge._withUnsafeGuaranteedRef { $0.offset } }

    /// Returns and clears the failure of the source since the last call.
    func takeFailure() -> EngineError? {
        unsafe bridge._withUnsafeGuaranteedRef { bridge in
            defer { bridge.failure = nil }
            return bridge.failure
        }
    }
}

extension InterruptFlag {
    /// The C view of this flag (`AVFormatContext.interrupt_callback`). The flag must outlive the context that holds it.
    var callback: AVIOInterruptCB {
        unsafe AVIOInterruptCB(
            callback: { opaque in
                guard let opaque = unsafe opaque else { return 0 }
                return unsafe Unmanaged<InterruptFlag>.fromOpaque(opaque).takeUnretainedValue().isUp ? 1 : 0
            },
            opaque: Unmanaged.passUnretained(self).toOpaque()
        )
    }
}
