// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import DrawingWire
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// The program that draws the text subtitles of one request. It is killed when this object is released.
///
/// Calls block until the program has answered, or fail when it takes too long. Not thread-safe, except `interrupt`.
final class DrawingProcess: Sendable {
    /// Why there is no answer.
    enum Failure: Error {
        case missing
        case unavailable(String)
        /// Too many drawings are under way.
        case busy
        /// The program ended: libass failed, or needed too much memory.
        case ended
        case tooSlow(Duration)
        /// A picture needs more layers, or more memory, than any author intends.
        case exceedsLimits
        case cancelled
    }

    /// Long, because the fonts of the system are listed again if its font cache is not up to date.
    private static let setUpLimit = Duration.seconds(30)
    /// No picture takes longer, unless its script is meant to be slow.
    private static let pictureLimit = Duration.seconds(5)
    /// The least memory for the texts of events.
    private static let textByteCount = 1 << 20
    /// Longer events are left out.
    static let longestEvent = 256 << 10

    /// `nil` for a drawing that takes turns with others.
    private let permit: DrawingPermit?
    private let process: HelperProcess
    private let memory: SharedMemory
    private let waiter: SocketWaiter
    private let interruptFlag = InterruptFlag()
    private let canvas: PixelBox

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - program: its path; `nil` if it is not installed.
    ///   - header: the script up to its events, as in `ASSWriter.head`.
    ///   - takesTurns: whether the caller limits how many of its drawings are under way.
    /// - Throws: `busy` when too many drawings are under way, unless `takesTurns`.
    init(
        _ program: String?,
        _ request: DrawingRequest,
        header: String,
        fonts: [[UInt8]],
        storage: (width: Int, height: Int)?,
        takesTurns: Bool
    ) throws(Failure) {
        guard let program else { throw .missing }
        permit = takesTurns ? nil : try DrawingPermit()
        canvas = PixelBox(x: 0, y: 0, width: request.width, height: request.height)
        let header = Array(header.utf8)
        let setUpByteCount = header.count + fonts.reduce(0) { $0 + $1.count }
        let byteCount = max(Self.textByteCount, setUpByteCount, canvas.width * canvas.height * 4)
        do {
            memory = try SharedMemory(name: "drawing", byteCount: byteCount, writer: .everybody)
            waiter = try SocketWaiter()
            process = try HelperProcess(program)
        } catch {
            throw .unavailable("\(error)")
        }
        var setup = DrawingSetup(width: request.width, height: request.height)
        if let storage { (setup.storageWidth, setup.storageHeight) = storage }
        (setup.headerByteCount, setup.fontByteCounts) = (header.count, fonts.map(\.count))
        var offset = 0
        for bytes in [header] + fonts {
            memory.copy(bytes, to: offset)
            offset += bytes.count
        }
        _ = try answer(to: .setUp(setup), with: memory.descriptor, within: Self.setUpLimit)
    }

    /// Ends the current call, and all later ones. Safe from any thread.
    func interrupt() {
        interruptFlag.raise()
        waiter.wake()
    }

    /// Adds events.
    ///
    /// - Parameters:
    ///   - events: in Matroska's form, at most `longestEvent` bytes each; times in milliseconds.
    ///   - now: events that ended before it may be released, in milliseconds.
    func add(_ events: ArraySlice<(line: [UInt8], start: Int64, duration: Int64)>, now: Int64) throws(Failure) {
        var rest = events
        while !rest.isEmpty {
            var place = 0
            var sent: [DrawingEvent] = []
            while let event = rest.first, sent.count < DrawingOrder.mostEvents,
                place + event.line.count <= memory.byteCount
            {
                memory.copy(event.line, to: place)
                place += event.line.count
                let count = event.line.count
                sent.append(DrawingEvent(start: event.start, duration: event.duration, byteCount: count))
                rest.removeFirst()
            }
            _ = try answer(to: .add(sent, now: now), within: Self.pictureLimit)
        }
    }

    /// Lets lines take their places, at a time in milliseconds.
    func layOut(at time: Int64) throws(Failure) { _ = try answer(to: .layOut(at: time), within: Self.pictureLimit) }

    /// Draws the picture of one moment, in milliseconds.
    ///
    /// - Returns: its parts, without overlap, and their pixels: RGBA, premultiplied by alpha. `nil` if the picture is that of
    ///   the last call.
    func draw(at time: Int64) throws(Failure) -> [(box: PixelBox, pixels: [UInt8])]? {
        switch try answer(to: .draw(at: time), within: Self.pictureLimit) {
        case .done, .unchanged: return nil
        case .exceedsLimits: throw .exceedsLimits
        case .drawn(let boxes):
            var place = 0
            return boxes.map { box in
                let count = box.width * box.height * 4
                defer { place += count }
                return (box, memory.bytes(at: place, count: count))
            }
        }
    }

    private func answer(
        to order: DrawingOrder,
        with descriptor: Int32? = nil,
        within limit: Duration
    ) throws(Failure) -> DrawingAnswer {
        if interruptFlag.isUp { throw .cancelled }
        guard process.socket.send(order.bytes, with: descriptor) else { throw .ended }
        let deadline = Deadline(in: limit)
        while true {
            switch process.socket.receive(limit: DrawingAnswer.longest) {
            case .message(let bytes):
                do throws(DrawingViolation) {
                    return try DrawingAnswer(bytes, canvas: canvas)
                } catch {
                    throw .ended
                }
            case .ended: throw .ended
            case .nothing:
                if interruptFlag.isUp { throw .cancelled }
                guard !deadline.hasPassed else { throw .tooSlow(limit) }
                waiter.wait(for: process.socket, atMost: Int64(deadline.remaining / .nanoseconds(1)))
            }
        }
    }
}

/// Permission for one of the drawings that may run at a time. It ends when this object is released.
final class DrawingPermit: Sendable {
    /// Each process may use a gigabyte.
    static let limit = 16
    private static let count = Locked(0)

    init() throws(DrawingProcess.Failure) {
        let isFree = Self.count.withLock { count in
            guard count < Self.limit else { return false }
            count += 1
            return true
        }
        guard isFree else { throw .busy }
    }

    deinit { Self.count.withLock { $0 -= 1 } }
}
