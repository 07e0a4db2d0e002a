// SPDX-License-Identifier: Apache-2.0

/// Some bytes of something long.
package struct DataPiece: Hashable, Sendable {
    package var bytes: [UInt8]
    /// How long all of it is. 0 where that is not known before its end.
    package var totalByteCount: UInt64

    package init(_ bytes: [UInt8], totalByteCount: UInt64 = 0) {
        self.bytes = bytes
        self.totalByteCount = totalByteCount
    }
}

/// An attachment of a source, such as a font, or a picture that belongs to it.
package struct AttachmentRequest: Hashable, Sendable {
    package var place: SubtitlePlace
    /// Its index in the source.
    package var stream: Int

    package init(_ place: SubtitlePlace, stream: Int) {
        self.place = place
        self.stream = stream
    }
}
