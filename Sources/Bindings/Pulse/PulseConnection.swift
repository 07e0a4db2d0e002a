// SPDX-License-Identifier: Apache-2.0

internal import CPulse
internal import Synchronization

/// Forwards events of libpulse's thread: wakes waiters inside the binding and calls the stream's `onChange`.
@safe final class PulseEvents: Sendable {
    // SAFETY: written before the loop's thread begins; `pa_threaded_mainloop_signal` is called on that thread.
    private nonisolated(unsafe) let loop: OpaquePointer
    private let onChange: @Sendable () -> Void
    let flushes = Atomic<Int>(0)

    @unsafe init(loop: OpaquePointer, onChange: @escaping @Sendable () -> Void) {
        unsafe self.loop = loop
        self.onChange = onChange
    }

    /// The user data of the callbacks. This object outlives the loop's thread.
    @unsafe var reference: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    @unsafe static func ring(_ data: UnsafeMutableRawPointer?) {
        guard let data = unsafe data else { return }
        let bell = unsafe Unmanaged<PulseEvents>.fromOpaque(data).takeUnretainedValue()
        unsafe pa_threaded_mainloop_signal(bell.loop, 0)
        bell.onChange()
    }

    @unsafe static func flushed(_ data: UnsafeMutableRawPointer?) {
        guard let data = unsafe data else { return }
        let bell = unsafe Unmanaged<PulseEvents>.fromOpaque(data).takeUnretainedValue()
        bell.flushes.subtract(1, ordering: .relaxed)
        unsafe ring(data)
    }
}

/// A connection to the sound server, used while a stream is being opened on it.
@safe struct PulseConnection: ~Copyable {
    /// The time limit for the server, in microseconds.
    private static let patience: UInt64 = 5_000_000

    let loop: OpaquePointer
    let context: OpaquePointer
    let bell: PulseEvents
    /// Whether a stream has taken ownership of the loop and the context.
    var isTaken = false

    private init(loop: OpaquePointer, context: OpaquePointer, bell: PulseEvents) {
        unsafe self.loop = loop
        unsafe self.context = context
        self.bell = bell
    }

    deinit {
        guard !isTaken else { return }
        unsafe pa_threaded_mainloop_lock(loop)
        unsafe pa_context_set_state_callback(context, nil, nil)
        unsafe pa_context_disconnect(context)
        unsafe pa_context_unref(context)
        unsafe pa_threaded_mainloop_unlock(loop)
        unsafe pa_threaded_mainloop_stop(loop)
        unsafe pa_threaded_mainloop_free(loop)
    }

    /// Starts libpulse's thread and connects to a running server (`pa_context_connect`, `PA_CONTEXT_NOAUTOSPAWN`).
    @unsafe static func make(
        named name: String,
        to server: String?,
        onChange: @escaping @Sendable () -> Void
    ) throws(PulseError) -> PulseConnection {
        let loop = unsafe present(pa_threaded_mainloop_new(), by: "pa_threaded_mainloop_new")
        let api = unsafe pa_threaded_mainloop_get_api(loop)
        let context = unsafe present(pa_context_new(api, name), by: "pa_context_new")
        let bell = unsafe PulseEvents(loop: loop, onChange: onChange)
        unsafe pa_context_set_state_callback(context, { _, data in unsafe PulseEvents.ring(data) }, bell.reference)
        guard unsafe pa_threaded_mainloop_start(loop) >= 0 else {
            unsafe pa_context_unref(context)
            unsafe pa_threaded_mainloop_free(loop)
            throw PulseError(-1, in: "pa_threaded_mainloop_start")
        }
        let connection = unsafe PulseConnection(loop: loop, context: context, bell: bell)
        unsafe pa_threaded_mainloop_lock(loop)
        defer { unsafe pa_threaded_mainloop_unlock(loop) }
        let status = unsafe pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil)
        let isReady =
            status >= 0
            && connection.wait {
                let state = unsafe pa_context_get_state(context)
                return state == PA_CONTEXT_READY
                    ? true : ([PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED].contains(state) ? false : nil)
            }
        guard isReady else { throw PulseError(unsafe pa_context_errno(context), in: "pa_context_connect") }
        return connection
    }

    /// libpulse returns a null pointer here only if it is out of memory.
    @unsafe private static func present(_ pointer: OpaquePointer?, by function: String) -> OpaquePointer {
        guard let pointer = unsafe pointer else { preconditionFailure("\(function): out of memory") }
        return unsafe pointer
    }

    /// Waits, with the loop's lock held, until `condition` returns a value. Returns `false` if the server does not
    /// respond in time.
    borrowing func wait(_ condition: () -> Bool?) -> Bool {
        let deadline = pa_rtclock_now() + Self.patience
        let timer = unsafe pa_context_rttime_new(
            context,
            deadline,
            { _, _, _, data in unsafe PulseEvents.ring(data) },
            bell.reference
        )
        let api = unsafe pa_threaded_mainloop_get_api(loop)
        defer { if let timer = unsafe timer { unsafe api?.pointee.time_free(timer) } }
        while true {
            if let answer = condition() { return answer }
            if pa_rtclock_now() >= deadline { return false }
            unsafe pa_threaded_mainloop_wait(loop)
        }
    }

    private final class Found {
        let bell: PulseEvents
        var format: AudioFormat?
        var isDone = false

        init(_ bell: PulseEvents) { self.bell = bell }
    }

    /// The device's rate and channels, as packed floats (`pa_context_get_sink_info_by_name`).
    borrowing func format(of device: String) throws(PulseError) -> AudioFormat {
        let found = Found(bell)
        let box = unsafe Unmanaged.passUnretained(found).toOpaque()
        unsafe pa_threaded_mainloop_lock(loop)
        defer { unsafe pa_threaded_mainloop_unlock(loop) }
        let operation = unsafe pa_context_get_sink_info_by_name(
            context,
            device.isEmpty ? "@DEFAULT_SINK@" : device,
            { _, info, last, data in
                guard let data = unsafe data else { return }
                let found = unsafe Unmanaged<Found>.fromOpaque(data).takeUnretainedValue()
                if let info = unsafe info {
                    let positions = unsafe PulseChannels.positions(info.pointee.channel_map)
                    found.format = AudioFormat(
                        samples: .float,
                        rate: unsafe Int(info.pointee.sample_spec.rate),
                        layout: PulseChannels.layout(positions) ?? PulseChannels.stereo
                    )
                }
                guard last != 0 else { return }
                found.isDone = true
                unsafe PulseEvents.ring(found.bell.reference)
            },
            box
        )
        guard let operation = unsafe operation else {
            throw PulseError(unsafe pa_context_errno(context), in: "pa_context_get_sink_info_by_name")
        }
        let hasAnswer = wait {
            found.isDone ? true : (unsafe pa_operation_get_state(operation) == PA_OPERATION_RUNNING ? nil : false)
        }
        unsafe pa_operation_cancel(operation)
        unsafe pa_operation_unref(operation)
        guard hasAnswer, let format = found.format, format.rate > 0 else {
            throw PulseError(unsafe pa_context_errno(context), in: "pa_context_get_sink_info_by_name")
        }
        return format
    }
}
