// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Reading

/// The decoder of an audio stream. It is opened again where a list goes on in another codec after a discontinuity.
struct FormatDecoder: ~Copyable {
    /// What a packet yielded.
    struct Output {
        var frames: [AudioDecoder.Frame] = []
        /// Packets and formats that cannot be decoded.
        var errors: UInt64 = 0
    }

    private let facts: DecodingFacts
    private var decoder: AudioDecoder
    /// `Packet.format` of the packets for which the decoder is open.
    private var format = 0

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

    /// Returns to the initial state.
    mutating func flush() { decoder.flush() }

    /// - Parameter packet: `nil`, passed once at the end, drains the decoder.
    mutating func decode(_ packet: Packet?) -> Output {
        var output = Output()
        if let packet, packet.format != format {
            guard let parameters = facts.parameters(ofFormat: packet.format) else {
                output.errors = 1
                return output
            }
            guard change(to: packet.format, parameters, &output) else { return output }
        }
        // A packet that cannot be decoded is skipped; later ones are still decoded.
        decode(packet, &output)
        return output
    }

    private mutating func decode(_ packet: Packet?, _ output: inout Output) {
        do throws(FFmpegError) { output.frames += try decoder.decode(packet) } catch { output.errors += 1 }
    }

    /// - Returns: whether the format can be decoded.
    private mutating func change(to format: Int, _ parameters: CodecParameters, _ output: inout Output) -> Bool {
        if !facts.sharesDecoder(self.format, format) {
            do throws(FFmpegError) {
                let next = try AudioDecoder.open(parameters, edges: .cut)
                // What the decoder still holds belongs to the earlier format.
                decode(nil, &output)
                decoder = next
            } catch {
                output.errors += 1
                return false
            }
        }
        self.format = format
        return true
    }
}
