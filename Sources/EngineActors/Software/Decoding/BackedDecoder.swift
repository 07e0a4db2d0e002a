// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Logging

/// A decoder of pictures on a device where one answers, else on the processor, to which it changes when the device gives up:
/// what the device was given since the last random access point is decoded once more.
///
/// Not thread-safe: part of a `SoftwareVideoDecoder`.
struct BackedDecoder: ~Copyable {
    /// Packets that are kept to be decoded once more.
    private static let replayLimit = 2000

    private let facts: FilmFacts
    private(set) var choice: DecoderChoice
    private var decoder: VideoDecoder
    private let allocation: PictureAllocation?
    /// Since the last random access point, while a device decodes.
    private var replay: [Packet] = []
    /// Times of the pictures that came out of those.
    private var given: Set<Int64> = []
    /// Times of the pictures that the processor gives a second time.
    private var surplus: Set<Int64> = []

    /// - Parameters:
    ///   - usesDevices: whether devices may decode.
    ///   - allocation: says where the processor puts pictures.
    /// - Throws: `noPlayableStream` when nothing decodes the stream.
    static func open(
        _ facts: FilmFacts,
        usesDevices: Bool,
        allocation: PictureAllocation?
    ) throws(EngineError) -> BackedDecoder {
        let kinds = HardwareDevice.Kind.allCases.filter { HardwareDevice.decodes(facts.stream.codec, on: $0) }
        var choice = DecoderChoice(usesDevices ? kinds : [])
        while case .device(let kind) = choice.backend {
            do throws(FFmpegError) {
                let device = try HardwareDevice.shared(kind)
                let decoder = try VideoDecoder.open(facts.parameters, threading: .frames, threads: 1, device: device)
                return BackedDecoder(facts, choice, decoder, allocation)
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
        if isOnDevice { note(packet) }
        do throws(FFmpegError) {
            try decoder.send(packet, leaving: step.leaving, isRough: step.isRough, privateData: privateData)
        } catch {
            guard isOnDevice else { throw error }
            try fallBack(error)
        }
    }

    mutating func receive() throws(FFmpegError) -> VideoDecoder.Received {
        while true {
            let received: VideoDecoder.Received
            do throws(FFmpegError) {
                received = try decoder.receive()
            } catch {
                guard isOnDevice else { throw error }
                try fallBack(error)
                continue
            }
            guard case .picture(let frame) = received, let time = frame.pts else { return received }
            if isOnDevice { given.insert(time) }
            if surplus.remove(time) == nil { return received }
        }
    }

    mutating func drain() throws(FFmpegError) { try decoder.drain() }

    /// What follows starts anew at a random access point.
    mutating func flush() {
        decoder.flush()
        replay = []
        given = []
        surplus = []
    }

    private mutating func note(_ packet: Packet) {
        if packet.isKey || replay.count >= Self.replayLimit {
            replay = []
            given = []
        }
        replay.append(packet)
    }

    private mutating func fallBack(_ reason: FFmpegError) throws(FFmpegError) {
        choice.gaveUp("\(reason)")
        Self.log(choice)
        decoder = try Self.onProcessor(facts, allocation)
        surplus = given
        let packets = replay
        (replay, given) = ([], [])
        for packet in packets { try decoder.send(packet) }
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
