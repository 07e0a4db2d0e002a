// SPDX-License-Identifier: Apache-2.0

internal import CPulse
internal import Synchronization

/// A playback stream to a device of the sound server (PulseAudio, or PipeWire in its place), through libpulse's
/// threaded main loop.
///
/// Thread-safety: safe. Only `connect` blocks; all other calls merely take the loop's lock.
@safe package final class PulseStream: Sendable {
    /// The buffer requested from the server, in seconds.
    private static let latency = 0.15

    // SAFETY: the pointers are written by the initializer only. What they point to is touched only while the loop's
    // lock is held, before its thread has begun, or after it has ended.
    private nonisolated(unsafe) let loop: OpaquePointer
    private nonisolated(unsafe) let context: OpaquePointer
    private nonisolated(unsafe) let stream: OpaquePointer
    private let bell: PulseEvents
    /// Packed floats in the device's own rate and channels.
    package let format: AudioFormat

    private init(_ connection: borrowing PulseConnection, stream: OpaquePointer, format: AudioFormat) {
        unsafe loop = connection.loop
        unsafe context = connection.context
        unsafe self.stream = stream
        bell = connection.bell
        self.format = format
    }

    /// Connects to a device and opens a paused stream.
    ///
    /// - Parameters:
    ///   - device: the name of a sink; empty for the server's default.
    ///   - server: the server's address; `nil` lets libpulse find it through its environment variables and files.
    ///   - onChange: called on the loop's thread when there is room for samples, when a flush is done, and when the
    ///     device is gone.
    package static func connect(
        to device: String,
        of server: String?,
        named name: String,
        onChange: @escaping @Sendable () -> Void
    ) throws(PulseError) -> PulseStream {
        assertMayBlock("pa_context_connect")
        var connection = try unsafe PulseConnection.make(named: name, to: server, onChange: onChange)
        let format = try connection.format(of: device)
        let stream = try unsafe open(on: connection, device, name, format)
        connection.isTaken = true
        return unsafe PulseStream(connection, stream: stream, format: format)
    }

    deinit {
        unsafe pa_threaded_mainloop_lock(loop)
        unsafe pa_stream_set_write_callback(stream, nil, nil)
        unsafe pa_stream_set_state_callback(stream, nil, nil)
        unsafe pa_context_set_state_callback(context, nil, nil)
        unsafe pa_stream_disconnect(stream)
        unsafe pa_stream_unref(stream)
        unsafe pa_context_disconnect(context)
        unsafe pa_context_unref(context)
        unsafe pa_threaded_mainloop_unlock(loop)
        unsafe pa_threaded_mainloop_stop(loop)
        unsafe pa_threaded_mainloop_free(loop)
    }

    private static func open(
        on connection: borrowing PulseConnection,
        _ device: String,
        _ name: String,
        _ format: AudioFormat
    ) throws(PulseError) -> OpaquePointer {
        var sample = pa_sample_spec(
            format: PA_SAMPLE_FLOAT32LE,
            rate: UInt32(format.rate),
            channels: UInt8(format.layout.count)
        )
        var map = PulseChannels.map(format.layout)
        let bytes = UInt32(latency * Double(format.rate)) * UInt32(format.stride)
        var buffer = pa_buffer_attr(
            maxlength: .max,
            tlength: bytes,
            prebuf: bytes / 8,
            minreq: .max,
            fragsize: .max
        )
        let flags = [
            PA_STREAM_START_CORKED, PA_STREAM_INTERPOLATE_TIMING, PA_STREAM_AUTO_TIMING_UPDATE,
            PA_STREAM_ADJUST_LATENCY,
        ].reduce(UInt32(0)) { $0 | $1.rawValue }
        unsafe pa_threaded_mainloop_lock(connection.loop)
        defer { unsafe pa_threaded_mainloop_unlock(connection.loop) }
        guard let stream = unsafe pa_stream_new(connection.context, name, &sample, &map) else {
            throw PulseError(unsafe pa_context_errno(connection.context), in: "pa_stream_new")
        }
        let data = unsafe connection.bell.reference
        unsafe pa_stream_set_state_callback(stream, { _, data in unsafe PulseEvents.ring(data) }, data)
        unsafe pa_stream_set_write_callback(stream, { _, _, data in unsafe PulseEvents.ring(data) }, data)
        let target = device.isEmpty ? nil : device
        let status = unsafe pa_stream_connect_playback(
            stream,
            target,
            &buffer,
            pa_stream_flags_t(rawValue: flags),
            nil,
            nil
        )
        let isReady =
            status >= 0
            && connection.wait {
                let state = unsafe pa_stream_get_state(stream)
                return state == PA_STREAM_READY ? true : (state == PA_STREAM_CREATING ? nil : false)
            }
        guard isReady else {
            let error = PulseError(unsafe pa_context_errno(connection.context), in: "pa_stream_connect_playback")
            unsafe pa_stream_set_state_callback(stream, nil, nil)
            unsafe pa_stream_set_write_callback(stream, nil, nil)
            unsafe pa_stream_unref(stream)
            throw error
        }
        return unsafe stream
    }

    /// Whether the device or its server is gone.
    package var isOver: Bool { locked { unsafe pa_stream_get_state(stream) != PA_STREAM_READY } }

    /// The number of samples that `write` accepts now (`pa_stream_writable_size`).
    package var room: Int {
        locked {
            let bytes = unsafe pa_stream_writable_size(stream)
            return bytes < 0 ? 0 : bytes / format.stride
        }
    }

    /// Writes all of `block` (`pa_stream_write`), which must have the format `format`.
    package func write(_ block: SampleBlock) throws(PulseError) {
        guard let plane = block.planes.first, !plane.isEmpty else { return }
        let status = locked {
            unsafe plane.withUnsafeBytes { bytes in
                unsafe pa_stream_write(stream, bytes.baseAddress, bytes.count, nil, 0, PA_SEEK_RELATIVE)
            }
        }
        guard status >= 0 else { throw PulseError(status, in: "pa_stream_write") }
    }

    /// Starts or pauses playback (`pa_stream_cork`).
    package func setRunning(_ isRunning: Bool) {
        locked { unsafe forget(pa_stream_cork(stream, isRunning ? 0 : 1, nil, nil)) }
    }

    /// Discards the samples that were not played (`pa_stream_flush`). `onChange` is called when the flush is done.
    package func flush() {
        let data = unsafe bell.reference
        bell.flushes.add(1, ordering: .relaxed)
        locked {
            let operation = unsafe pa_stream_flush(stream, { _, _, data in unsafe PulseEvents.flushed(data) }, data)
            if unsafe operation == nil { bell.flushes.subtract(1, ordering: .relaxed) }
            unsafe forget(operation)
        }
    }

    /// Whether a flush is still in progress.
    package var isFlushing: Bool { bell.flushes.load(ordering: .relaxed) > 0 }

    /// Plays the remaining samples, however few (`pa_stream_trigger`).
    package func trigger() { locked { unsafe forget(pa_stream_trigger(stream, nil, nil)) } }

    /// The time until a sample written now is heard, in seconds (`pa_stream_get_latency`). `nil` until the server has
    /// reported timing.
    package var delay: Double? {
        locked {
            var microseconds: pa_usec_t = 0
            var isNegative: CInt = 0
            guard unsafe pa_stream_get_latency(stream, &microseconds, &isNegative) >= 0 else { return nil }
            return (isNegative != 0 ? -1 : 1) * Double(microseconds) / 1_000_000
        }
    }

    private func locked<Value>(_ body: () -> Value) -> Value {
        unsafe pa_threaded_mainloop_lock(loop)
        defer { unsafe pa_threaded_mainloop_unlock(loop) }
        return body()
    }

    @unsafe private func forget(_ operation: OpaquePointer?) {
        if let operation = unsafe operation { unsafe pa_operation_unref(operation) }
    }
}
