// SPDX-License-Identifier: Apache-2.0

/// Some bytes of a longer sequence.
public struct DataPiece: Hashable, Sendable {
    public var bytes: [UInt8]
    /// The length of the whole sequence. 0 if it is not known before the end.
    public var totalByteCount: UInt64

    public init(_ bytes: [UInt8], totalByteCount: UInt64 = 0) {
        self.bytes = bytes
        self.totalByteCount = totalByteCount
    }
}

/// A request for an embedded file of a source, such as a font or a cover picture.
public struct AttachmentRequest: Hashable, Sendable {
    public var place: SubtitlePlace
    /// The stream's index in the source.
    public var stream: Int
    public var http = HTTPOptions()

    public init(_ place: SubtitlePlace, stream: Int) {
        self.place = place
        self.stream = stream
    }
}
