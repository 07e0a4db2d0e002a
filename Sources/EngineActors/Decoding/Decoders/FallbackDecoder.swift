// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Reading

/// Decodes video on a device if one accepts the stream, otherwise on the processor. When the device fails or outputs
/// nothing, the processor takes over and decodes again from the second-to-last random access point.
///
/// Not thread-safe: part of a `SoftwareVideoDecoder`.
struct FallbackDecoder<Decoder: FrameDecoder & ~Copyable>: ~Copyable {
    /// A device that outputs no frame for more packets than this has failed. No codec delays frames that long.
    private static var silentLimit: Int { 100 }

    private let backends: DecoderBackends<Decoder>
    private(set) var choice: DecoderChoice
    /// `Packet.format` of the packets that this decoder is open for. Set by the owner.
    var format = 0
    private var decoder: Decoder
    /// Used only while a device decodes.
    private var replay = DecodingReplay()
    /// Consecutive packets that were sent without skipping since the device last output a frame.
    private var silent = 0
    private var end = End.open
    /// Packets that the processor decodes again before any new ones.
    private var backlog: ArraySlice<DecodingReplay.Entry> = []
    /// Times of frames that the device has already output. If the processor outputs them too, they are dropped.
    private var surplus: Set<Int64> = []

    /// Whether input continues, draining is requested but waits for the backlog, or the decoder is being drained.
    private enum End { case open, wanted, draining }

    /// - Throws: the processor's error when no backend can decode the stream.
    static func open(_ backends: DecoderBackends<Decoder>) throws(FFmpegError) -> FallbackDecoder {
        var choice = DecoderChoice(backends.kinds)
        while case .device(let kind) = choice.backend {
            do throws(FFmpegError) {
                return FallbackDecoder(backends, choice, try backends.device(kind))
            } catch {
                choice.couldNotOpen("\(error)")
                choice.log()
            }
        }
        return FallbackDecoder(backends, choice, try backends.processor())
    }

    private init(_ backends: DecoderBackends<Decoder>, _ choice: DecoderChoice, _ decoder: consuming Decoder) {
        self.backends = backends
        self.choice = choice
        self.decoder = decoder
    }

    private var isOnDevice: Bool { choice.backend != .processor }

    var reorderDepth: Int { decoder.reorderDepth }

    mutating func send(
        _ packet: Packet,
        _ step: FrameDropPolicy.Step,
        privateData: [UInt8]?
    ) throws(FFmpegError) {
        guard backlog.isEmpty else { return backlog.append(.init(packet: packet, privateData: privateData)) }
        if isOnDevice {
            replay.note(packet, privateData: privateData)
            // While frames are skipped on purpose, a working device may output nothing for a long time.
            silent = step.skipping == .nothing ? silent + 1 : 0
        }
        do throws(FFmpegError) {
            try decoder.send(packet, skipping: step.skipping, isRough: step.isRough, privateData: privateData)
        } catch {
            guard isOnDevice else { throw error }
            try fallBack(because: "\(error)")
        }
    }

    mutating func receive() throws(FFmpegError) -> VideoDecoder.Received {
        while true {
            switch try received() {
            case .frame(let frame):
                silent = 0
                guard let time = frame.pts else { return .frame(frame) }
                if isOnDevice { replay.note(frameAt: time) }
                if surplus.remove(time) == nil { return .frame(frame) }
            case .needsInput:
                if isOnDevice, silent > Self.silentLimit {
                    try fallBack(because: "no frame after \(silent) packets")
                } else if let next = backlog.popFirst() {
                    try decoder.send(
                        next.packet,
                        skipping: .nothing,
                        isRough: false,
                        privateData: next.privateData
                    )
                } else if end == .wanted {
                    end = .draining
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
        end = .draining
        do throws(FFmpegError) {
            try decoder.drain()
        } catch {
            guard isOnDevice else { throw error }
            try fallBack(because: "\(error)")
        }
    }

    /// Discards all pending packets and frames. The next packet must be a random access point.
    mutating func flush() {
        decoder.flush()
        replay = DecodingReplay()
        silent = 0
        end = .open
        backlog = []
        surplus = []
    }

    private mutating func fallBack(because reason: String) throws(FFmpegError) {
        let processor = try backends.processor()
        choice.gaveUp(reason)
        choice.log()
        decoder = processor
        (backlog, surplus) = (replay.entries[...], replay.given)
        replay = DecodingReplay()
        silent = 0
        if end == .draining { end = .wanted }
    }
}

/// The decoders that may be able to decode a stream.
struct DecoderBackends<Decoder: FrameDecoder & ~Copyable> {
    /// The devices to try, best first.
    let kinds: [HardwareDevice.Kind]
    /// - Throws: when the device does not respond or does not support this stream.
    let device: (HardwareDevice.Kind) throws(FFmpegError) -> Decoder
    let processor: () throws(FFmpegError) -> Decoder
}

extension FallbackDecoder where Decoder == VideoDecoder {
    /// - Parameters:
    ///   - devices: hardware that may decode; `nil`: none.
    ///   - allocation: provides the memory for frames decoded on the processor.
    /// - Throws: `noPlayableStream` when no backend can decode the stream.
    static func open(
        _ facts: DecodingFacts,
        devices: DecodingDevices?,
        allocation: FrameAllocation?
    ) throws(EngineError) -> FallbackDecoder {
        let stream = facts.stream
        let backends = DecoderBackends(
            kinds: devices?.kinds(stream.codec) ?? [],
            device: { (kind) throws(FFmpegError) -> VideoDecoder in
                guard let devices else { preconditionFailure("no device has a kind") }
                return try devices.open(kind, facts.parameters)
            },
            processor: { () throws(FFmpegError) -> VideoDecoder in
                let threads = ThreadBudget.threads(width: stream.width, height: stream.height)
                return try VideoDecoder.open(
                    facts.parameters,
                    threading: .frames,
                    threads: threads,
                    allocation: allocation
                )
            }
        )
        do throws(FFmpegError) { return try open(backends) } catch {
            throw EngineError(.noPlayableStream, "\(stream.codec.rawValue) video cannot be decoded", cause: "\(error)")
        }
    }
}

/// The number of decoder threads. Each thread holds at least one frame, so huge frames get one thread to bound memory.
enum ThreadBudget {
    private static let largePixels = 8192 * 4320

    /// - Returns: 0 if libavcodec may choose.
    static func threads(width: Int, height: Int) -> Int {
        let (pixels, isHuge) = width.multipliedReportingOverflow(by: height)
        return isHuge || pixels > largePixels ? 1 : 0
    }
}
