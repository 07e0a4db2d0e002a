// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import EngineRuntime

/// Decides where decoders allocate their frames (`AVCodecContext.get_buffer2`).
///
/// libavcodec allocates a frame itself if no slot is free for it, if it is a hardware frame, or if the decoder brings
/// its own memory. The memory can be replaced at any time, which affects frames that are started from then on.
///
/// Thread-safety: safe.
package final class FrameAllocation: Sendable {
    private struct State {
        var memory: (any DecoderMemory)?
        var isOpen = true
    }

    private let state = Locked(State())

    package init() {}

    /// `nil` lets libavcodec allocate all frames.
    package func use(_ memory: (any DecoderMemory)?) { state.withLock { $0.memory = memory } }

    /// While closed, the memory is not used, because frames will be converted before anything displays them.
    package func setOpen(_ isOpen: Bool) { state.withLock { $0.isOpen = isOpen } }

    /// Installs the callback in a decoder that is not open yet. This object must outlive the decoder.
    func serve(_ context: UnsafeMutablePointer<AVCodecContext>, _ codec: UnsafePointer<AVCodec>) {
        guard unsafe codec.pointee.capabilities & AV_CODEC_CAP_DR1 != 0 else { return }
        // SAFETY: the pointer is used by the callback alone, which libavcodec calls between here and
        // `avcodec_free_context`.
        unsafe context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        unsafe context.pointee.get_buffer2 = { context, frame, flags in
            guard let context = unsafe context, let frame = unsafe frame else { return cffmpeg_averror(EINVAL) }
            if let opaque = unsafe context.pointee.opaque {
                let allocation = unsafe Unmanaged<FrameAllocation>.fromOpaque(opaque).takeUnretainedValue()
                if unsafe allocation.fill(frame, for: context) { return 0 }
            }
            return unsafe avcodec_default_get_buffer2(context, frame, flags)
        }
        unsafe cffmpeg_call_back_on_any_thread(context)
    }

    /// - Returns: whether a slot was free for the frame.
    private func fill(_ frame: UnsafeMutablePointer<AVFrame>, for context: UnsafeMutablePointer<AVCodecContext>) -> Bool
    {
        guard let memory = state.withLock({ $0.isOpen ? $0.memory : nil }), unsafe frame.pointee.hw_frames_ctx == nil,
            let layout = unsafe DecodingLayout(frame, for: context),
            let room = unsafe memory.room(for: layout.need(of: context)), room.byteCount >= layout.byteCount
        else { return false }
        let start = unsafe room.memory.address(of: room.offset, count: room.byteCount)
        // SAFETY: the buffer owns one reference to the slot, which keeps its memory alive. When libavcodec drops its
        // last reference to the buffer, on any thread, the callback releases the slot.
        let buffer = unsafe av_buffer_create(
            start,
            room.byteCount,
            { opaque, _ in
                guard let opaque = unsafe opaque else { return }
                unsafe Unmanaged<FrameSlot>.fromOpaque(opaque).release()
            },
            Unmanaged.passRetained(room).toOpaque(),
            // Readers may hold a frame for any length of time, so a decoder must copy it before drawing into it again.
            AV_BUFFER_FLAG_READONLY
        )
        unsafe frame.pointee.buf.0 = allocated(buffer, by: "av_buffer_create")
        let planes = layout.planes
        unsafe frame.pointee.data.0 = planes[0].map { unsafe start + $0.offset }
        unsafe frame.pointee.data.1 = planes[1].map { unsafe start + $0.offset }
        unsafe frame.pointee.data.2 = planes[2].map { unsafe start + $0.offset }
        unsafe frame.pointee.data.3 = planes[3].map { unsafe start + $0.offset }
        unsafe frame.pointee.linesize.0 = planes[0]?.stride ?? 0
        unsafe frame.pointee.linesize.1 = planes[1]?.stride ?? 0
        unsafe frame.pointee.linesize.2 = planes[2]?.stride ?? 0
        unsafe frame.pointee.linesize.3 = planes[3]?.stride ?? 0
        return true
    }
}
