// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import DrawingWire
internal import EngineRuntime
internal import Glibc
internal import Packaging

/// Answers the orders that arrive on a socket, one after another.
struct DrawingServer: ~Copyable {
    /// The limit of the process's own memory, in bytes. Beyond it, allocations fail, and libass omits parts of the
    /// picture or the process ends.
    private static let memoryLimit = 1 << 30

    private let socket: CInt
    private var memory: SharedMemory?
    private var drawer: ScriptDrawer?

    init(on socket: CInt) { self.socket = socket }

    /// Returns when the engine closes its end.
    mutating func run() throws(DrawingViolation) {
        while let message = try receive() {
            let answer = try answer(to: DrawingOrder(message, memoryByteCount: memory?.byteCount ?? 0)).bytes
            guard unsafe send(socket, answer, answer.count, CInt(MSG_NOSIGNAL)) == answer.count else { return }
        }
    }

    /// - Returns: `nil` when the socket is closed.
    private mutating func receive() throws(DrawingViolation) -> [UInt8]? {
        var (count, descriptors) = (0, 1)
        var descriptor: CInt = -1
        let message = unsafe [UInt8](unsafeUninitializedCapacity: DrawingOrder.longest) { buffer, filled in
            count = unsafe csystem_receive_with_descriptors(
                socket,
                buffer.baseAddress,
                buffer.count,
                &descriptor,
                &descriptors
            )
            filled = max(0, count)
        }
        guard count > 0 else { return nil }
        guard descriptors == 1, descriptor >= 0 else { return message }
        do throws(SystemError) {
            let memory = try SharedMemory(mapping: descriptor, isWritable: true)
            limit(beside: memory.byteCount)
            self.memory = memory
        } catch {
            throw DrawingViolation()
        }
        return message
    }

    private func limit(beside shared: Int) {
        // Twice the shared memory, because libass copies the fonts from it.
        let most = rlim_t(Self.memoryLimit + 2 * shared)
        var limit = rlimit(rlim_cur: most, rlim_max: most)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    }

    private mutating func answer(to order: DrawingOrder) throws(DrawingViolation) -> DrawingAnswer {
        guard let memory else { throw DrawingViolation() }
        switch order {
        case .setUp(let setup):
            drawer = make(setup, memory)
            return .done
        case .add(let events, let now):
            var place = 0
            for event in events {
                let line = memory.bytes(at: place, count: event.byteCount)
                place += event.byteCount
                drawer?.add(line, start: event.start, duration: event.duration, now: now)
            }
            return .done
        case .layOut(let time):
            drawer?.layOut(at: time)
            return .done
        case .draw(let time):
            do throws(ScriptDrawer.LimitExceeded) {
                guard let regions = try drawer?.draw(at: time) else { return .unchanged }
                return .drawn(write(regions, to: memory))
            } catch {
                return .exceedsLimits
            }
        }
    }

    private func make(_ setup: DrawingSetup, _ memory: SharedMemory) -> ScriptDrawer {
        var place = 0
        func next(_ count: Int) -> [UInt8] {
            defer { place += count }
            return memory.bytes(at: place, count: count)
        }
        let header = next(setup.headerByteCount)
        return ScriptDrawer(header: header, fonts: setup.fontByteCounts.map(next), setup)
    }

    private func write(_ regions: [ScriptDrawer.Region], to memory: SharedMemory) -> [PixelBox] {
        var place = 0
        for region in regions {
            memory.copy(region.pixels, to: place)
            place += region.pixels.count
        }
        return regions.map(\.box)
    }
}
