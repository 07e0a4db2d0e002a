// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Logging

/// A decoder of pictures on a device where one answers, else on the processor, to which it changes when the device gives up or
/// gives nothing: what the device was given since the last random access point but one is decoded once more.
///
/// Not thread-safe: part of a `SoftwareVideoDecoder`.
struct BackedDecoder: ~Copyable {
    /// Packets after which a device of which nothing comes has given up: more than any codec holds back.
    private static let silentLimit = 100

    private let facts: FilmFacts
    private(set) var choice: DecoderChoice
    private var decoder: VideoDecoder
    private let allocation: PictureAllocation?
    /// While a device decodes.
    private var replay = DecodingReplay()
    /// Whole packets since the device gave a picture.
    private var silent = 0
    private var end = End.open
    /// What the processor decodes once more, before anything else.
    private var backlog: ArraySlice<DecodingReplay.Entry> = []
    /// Times of the pictures that the processor gives a second time.
    private var surplus: Set<Int64> = []

    /// Whether something follows, and whether the decoder knows.
    private enum End { case open, wanted, told }

    /// - Parameters:
    ///   - devices: that may decode; `nil`: none.
    ///   - allocation: says where the processor puts pictures.
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
            throw EngineError(.noPlayableStream, "\(codec) pictures cannot be decoded", cause: "\(error)")
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

    /// Each reason once: films come and go, the machine stays.
    private static func log(_ choice: DecoderChoice) {
        guard let reason = choice.reasons.last, logged.withLock({ $0.insert(reason).inserted }) else { return }
        Logger(label: "decoder").info("no device decodes: \(reason)")
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
            // Where some are left out on purpose, nothing may come for long.
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
                    try fallBack(because: "\(silent) packets gave no picture")
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
                try fallBack(because: "it gave no picture")
            }
        }
    }

    /// What the decoder says, or the processor in the place of a device that has given up.
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

    /// What follows starts anew at a random access point.
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

/// How many threads decode: so many that large pictures, of which each holds one or more, do not fill the memory.
enum ThreadBudget {
    private static let largePixels = 8192 * 4320

    /// - Returns: 0 for as many as the machine has cores.
    static func threads(width: Int, height: Int) -> Int {
        let (pixels, isHuge) = width.multipliedReportingOverflow(by: height)
        return isHuge || pixels > largePixels ? 1 : 0
    }
}
