// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// Finds the streams of one segment among those of the whole list. Pure.
package enum StreamMatch {
    /// The properties that distinguish streams.
    package struct Stream: Hashable, Sendable {
        package let identifier: Int
        package let kind: StreamKind
        /// As `CodecID.family`.
        package let codec: CodecID

        package init(identifier: Int, kind: StreamKind, codec: CodecID) {
            self.identifier = identifier
            self.kind = kind
            self.codec = codec.family
        }
    }

    /// The index in `known` of each stream of `found`; `nil` for a stream that is not among them. Streams of the same
    /// codec are matched first by their number in the container, then in order.
    ///
    /// A stream whose codec the segment does not reveal is matched only by its number. Video and audio of another
    /// codec, such as that of an advertisement, is then matched with the known streams of its kind that are left: first
    /// by number, then in order.
    package static func places(of found: [Stream], in known: [Stream]) -> [Int?] {
        var free = Set(known.indices)
        var places: [Int?] = found.map { stream in
            let place = known.indices.first { place in
                let other = known[place]
                guard free.contains(place), other.identifier == stream.identifier else { return false }
                return other.codec == stream.codec || !stream.isIdentified
            }
            if let place { free.remove(place) }
            return place
        }
        for index in found.indices where places[index] == nil && found[index].isIdentified {
            let place = free.sorted().first { place in
                known[place].kind == found[index].kind && known[place].codec == found[index].codec
            }
            guard let place else { continue }
            free.remove(place)
            places[index] = place
        }
        for hasSameNumber in [true, false] {
            for index in found.indices where places[index] == nil && found[index].isIdentifiedMedia {
                let place = free.sorted().first { place in
                    known[place].isIdentifiedMedia && known[place].kind == found[index].kind
                        && (!hasSameNumber || known[place].identifier == found[index].identifier)
                }
                guard let place else { continue }
                free.remove(place)
                places[index] = place
            }
        }
        return places
    }
}

extension CodecID {
    /// The codec for comparisons between streams. MPEG audio of layers II and III counts as one codec: either decoder
    /// decodes both, and libavformat tells them apart only after several frames of a transport stream.
    var family: CodecID { self == .mp2 ? .mp3 : self }

    /// Whether the codec is known. libavformat identifies some codecs of MPEG-TS only from packets.
    var isIdentified: Bool { self != CodecID(rawValue: "none") }
}

extension StreamMatch.Stream {
    package init(_ info: StreamInfo) {
        self.init(identifier: info.identifier, kind: info.kind, codec: info.codec)
    }

    fileprivate var isIdentified: Bool { codec.isIdentified }

    fileprivate var isIdentifiedMedia: Bool { (kind == .video || kind == .audio) && isIdentified }
}
