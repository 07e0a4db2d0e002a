// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// A descriptor that becomes readable when `signal` is called (eventfd(2)).
///
/// Thread-safety: safe.
final class Wakeup: Sendable {
    let descriptor: CInt

    init() throws(BusError) {
        descriptor = eventfd(0, CInt(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else { throw BusError(function: "eventfd", errnoCode: errno) }
    }

    deinit { close(descriptor) }

    func signal() { eventfd_write(descriptor, 1) }

    /// Resets all signals so far.
    func clear() {
        var count: eventfd_t = 0
        unsafe eventfd_read(descriptor, &count)
    }

    /// Waits until this is signalled, `other` has one of `events`, or the time is up. -1 ms: no time limit.
    func wait(orFor other: CInt, events: CInt, milliseconds: CInt) throws(BusError) {
        var descriptors = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other, events: Int16(truncatingIfNeeded: events), revents: 0),
        ]
        let status = unsafe poll(&descriptors, nfds_t(descriptors.count), milliseconds)
        guard status >= 0 || errno == EINTR else { throw BusError(function: "poll", errnoCode: errno) }
    }
}
