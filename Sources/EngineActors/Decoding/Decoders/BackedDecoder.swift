// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Logging
internal import Reading

/// Decodes video on a device if one accepts the stream, otherwise on the processor. The processor takes over when the
/// device fails or outputs nothing: the packets since the last random access point but one are decoded again.
///
/// Not thread-safe: part of a `SoftwareVideoDecoder`.
struct BackedDecoder: ~Copyable {
    /// A device that outputs nothing for more packets than this has failed. No codec holds back as many.
    private static let silentLimit = 100

    private let facts: FilmFacts
    private(set) var choice: DecoderChoice
    private var decoder: VideoDecoder
    private let allocation: PictureAllocation?
    /// Used only while a device decodes.
    private var replay = DecodingReplay()
    /// Packets sent without skipping since the device last output a frame.
    private var silent = 0
    private var end = End.open
    /// Packets that the processor decodes again before any new ones.
    private var backlog: ArraySlice<DecodingReplay.Entry> = []
    /// Times of the frames that the processor outputs a second time. They are dropped.
    private var surplus: Set<Int64> = []

    /// Whether input continues, draining is requested but waits for the backlog, or the decoder is being drained.
    private enum End { case open, wanted, told }

    /// - Parameters:
    ///   - devices: hardware that may decode; `nil`: none.
    ///   - allocation: provides the memory for frames decoded on the processor.
    /// - Throws: `noPlayableStream` when nothing decodes the stream.
    static func open(
        _ facts: FilmFacts,
        devices: DecodingDevices?,
        allocation: PictureAllocation?
    ) throws(EngineError) -> BackedDecoder {
        var choice = DecoderChoice(devices?.kinds(facts.stream.codec) ?? [])
        while let devices, case .device(let kind) = choice.backend {
            do throws(FFmpegError) {
                return BackedDecoder(facts, choice, try devices.open(kind, facts.parameters), allocation)
            } catch {
                choice.couldNotOpen("\(error)")
                log(choice)
            }
        }
        do throws(FFmpegError) {
            return BackedDecoder(facts, choice, try onProcessor(facts, allocation), allocation)
        } catch {
            let codec = facts.stream.codec.rawValue
            throw EngineError(.noPlayableStream, "\(codec) video cannot be decoded", cause: "\(error)")
        }
    }

    private init(
        _ facts: FilmFacts,
        _ choice: DecoderChoice,
        _ decoder: consuming VideoDecoder,
        _ allocation: PictureAllocation?
    ) {
        self.facts = facts
        self.choice = choice
        self.decoder = decoder
        self.allocation = allocation
    }

    private static func onProcessor(
        _ facts: FilmFacts,
        _ allocation: PictureAllocation?
    ) throws(FFmpegError) -> VideoDecoder {
        let threads = ThreadBudget.threads(width: facts.stream.width, height: facts.stream.height)
        return try VideoDecoder.open(facts.parameters, threading: .frames, threads: threads, allocation: allocation)
    }

    private static let logged = Locked<Set<String>>([])

    /// Logs each reason once per process: sources come and go, the hardware stays.
    private static func log(_ choice: DecoderChoice) {
        guard let reason = choice.reasons.last, logged.withLock({ $0.insert(reason).inserted }) else { return }
        Logger(label: "decoder").info("hardware decoding is not available: \(reason)")
    }

    private var isOnDevice: Bool { choice.backend != .processor }

    var reorderDepth: Int { decoder.reorderDepth }

    mutating func send(
        _ packet: Packet,
        _ step: LatePolicy.Step,
        privateData: [UInt8]?
    ) throws(FFmpegError) {
        guard backlog.isEmpty else { return backlog.append(.init(packet: packet, privateData: privateData)) }
        if isOnDevice {
            replay.note(packet, privateData: privateData)
            // While frames are skipped on purpose, a working device may output nothing for a long time.
            silent = step.leaving == .nothing ? silent + 1 : 0
        }
        do throws(FFmpegError) {
            try decoder.send(packet, leaving: step.leaving, isRough: step.isRough, privateData: privateData)
        } catch {
            guard isOnDevice else { throw error }
            try fallBack(because: "\(error)")
        }
    }

    mutating func receive() throws(FFmpegError) -> VideoDecoder.Received {
        while true {
            switch try received() {
            case .picture(let frame):
                silent = 0
                guard let time = frame.pts else { return .picture(frame) }
                if isOnDevice { replay.note(pictureAt: time) }
                if surplus.remove(time) == nil { return .picture(frame) }
            case .needsInput:
                if isOnDevice, silent > Self.silentLimit {
                    try fallBack(because: "no frame after \(silent) packets")
                } else if let next = backlog.popFirst() {
                    try decoder.send(next.packet, privateData: next.privateData)
                } else if end == .wanted {
                    end = .told
                    try decoder.drain()
                } else {
                    return .needsInput
                }
            case .ended:
                guard isOnDevice, replay.given.isEmpty, !replay.entries.isEmpty else { return .ended }
                try fallBack(because: "no frame at all")
            }
        }
    }

    /// The decoder's result, or the processor's if the device fails here.
    private mutating func received() throws(FFmpegError) -> VideoDecoder.Received {
        do throws(FFmpegError) {
            return try decoder.receive()
        } catch {
            guard isOnDevice else { throw error }
            try fallBack(because: "\(error)")
            return try decoder.receive()
        }
    }

    mutating func drain() throws(FFmpegError) {
        end = .wanted
        guard backlog.isEmpty else { return }
        end = .told
        do throws(FFmpegError) {
            try decoder.drain()
        } catch {
            guard isOnDevice else { throw error }
            try fallBack(because: "\(error)")
        }
    }

    /// Whatever follows starts at a new random access point.
    mutating func flush() {
        decoder.flush()
        replay = DecodingReplay()
        silent = 0
        end = .open
        backlog = []
        surplus = []
    }

    private mutating func fallBack(because reason: String) throws(FFmpegError) {
        let processor = try Self.onProcessor(facts, allocation)
        choice.gaveUp(reason)
        Self.log(choice)
        decoder = processor
        (backlog, surplus) = (replay.entries[...], replay.given)
        replay = DecodingReplay()
        silent = 0
        if end == .told { end = .wanted }
    }
}

/// How many threads decode. Each thread holds one or more frames, so huge frames get one thread to bound the memory.
enum ThreadBudget {
    private static let largePixels = 8192 * 4320

    /// - Returns: 0 for one thread per core.
    static func threads(width: Int, height: Int) -> Int {
        let (pixels, isHuge) = width.multipliedReportingOverflow(by: height)
        return isHuge || pixels > largePixels ? 1 : 0
    }
}
