// SPDX-License-Identifier: Apache-2.0

/// Some bytes of something long.
public struct DataPiece: Hashable, Sendable {
    public var bytes: [UInt8]
    /// How long all of it is. 0 where that is not known before its end.
    public var totalByteCount: UInt64

    public init(_ bytes: [UInt8], totalByteCount: UInt64 = 0) {
        self.bytes = bytes
        self.totalByteCount = totalByteCount
    }
}

/// An attachment of a source, such as a font, or a picture that belongs to it.
public struct AttachmentRequest: Hashable, Sendable {
    public var place: SubtitlePlace
    /// Its index in the source.
    public var stream: Int

    public init(_ place: SubtitlePlace, stream: Int) {
        self.place = place
        self.stream = stream
    }
}
