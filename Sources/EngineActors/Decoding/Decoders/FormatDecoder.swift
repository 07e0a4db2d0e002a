// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Reading

/// The decoder of an audio stream. It is opened again where a list continues in another codec after a discontinuity.
struct FormatDecoder: ~Copyable {
    /// What a packet yielded.
    struct Output {
        var frames: [AudioDecoder.Frame] = []
        /// Packets and formats that cannot be decoded.
        var errors: UInt64 = 0
        /// The audio that turned out not to be decodable.
        var undecoded: UndecodedAudio?
    }

    private let facts: DecodingFacts
    private var decoder: AudioDecoder
    /// `Packet.format` of the packets for which the decoder is open.
    private var format = 0
    /// The format for which no decoder could be opened.
    private var refused: Int?
    /// Determines whether packets of the format yield audio. `nil` for the format of the track.
    private var trial: FormatTrial?

    var stream: Int { facts.stream.index }

    private init(_ facts: DecodingFacts, _ decoder: consuming AudioDecoder) {
        self.facts = facts
        self.decoder = decoder
    }

    /// - Throws: `noPlayableStream`.
    static func open(_ facts: DecodingFacts) throws(EngineError) -> FormatDecoder {
        do throws(FFmpegError) {
            return FormatDecoder(facts, try AudioDecoder.open(facts.parameters, edges: .cut))
        } catch {
            let codec = facts.stream.codec.rawValue
            throw EngineError(.noPlayableStream, "\(codec) audio cannot be decoded", cause: "\(error)")
        }
    }

    /// Discards what the decoder holds: the next packet need not follow the previous one. The format is kept.
    mutating func flush() {
        decoder.flush()
        trial?.flush()
    }

    /// - Parameter packet: `nil`, passed once at the end, drains the decoder.
    mutating func decode(_ packet: Packet?) -> Output {
        var output = Output()
        if let packet, packet.format != format {
            guard packet.format != refused, change(toFormatOf: packet, &output) else {
                output.errors += 1
                return output
            }
        }
        // A packet that cannot be decoded is skipped; later ones are still decoded.
        let before = output.frames.count
        decode(packet, &output)
        guard let packet else { return output }
        let time = time(of: packet)
        if let failure = trial?.note(at: time, yielding: output.frames.count - before) {
            let reason = "none of its first \(failure.packets) packets yields audio"
            output.undecoded = UndecodedAudio(subject(of: packet), at: failure.start, because: reason)
        }
        return output
    }

    private mutating func decode(_ packet: Packet?, _ output: inout Output) {
        do throws(FFmpegError) { output.frames += try decoder.decode(packet) } catch { output.errors += 1 }
    }

    /// - Returns: whether the packet has a format for which a decoder can be opened.
    private mutating func change(toFormatOf packet: Packet, _ output: inout Output) -> Bool {
        guard let parameters = facts.parameters(ofFormat: packet.format) else {
            let reason = "its format is not that of the audio after the discontinuity before it"
            refuse(packet, because: reason, &output)
            return false
        }
        if !facts.sharesDecoder(format, packet.format) {
            do throws(FFmpegError) {
                let next = try AudioDecoder.open(parameters, edges: .cut)
                // What the decoder still holds belongs to the earlier format.
                decode(nil, &output)
                decoder = next
            } catch {
                refuse(packet, because: "\(error)", &output)
                return false
            }
        }
        format = packet.format
        refused = nil
        trial = format == 0 ? nil : FormatTrial()
        return true
    }

    private mutating func refuse(_ packet: Packet, because reason: String, _ output: inout Output) {
        refused = packet.format
        output.undecoded = UndecodedAudio(subject(of: packet), at: time(of: packet), because: reason)
    }

    private func subject(of packet: Packet) -> UndecodedAudio.Subject {
        UndecodedAudio.Subject(stream: stream, codec: facts.codec(ofFormat: packet.format))
    }

    private func time(of packet: Packet) -> MediaTime? { (packet.pts ?? packet.dts).map { facts.time($0) } }
}
