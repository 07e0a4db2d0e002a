// SPDX-License-Identifier: Apache-2.0

/// Finds the attachments of a Matroska file (RFC 9559 §5.1.6), such as fonts. A demuxer reads all of them when it opens
/// the file, so a client of a server requests them at once.
package enum MatroskaAttachments {
    /// More bytes than this are not worth requesting before a demuxer asks for them.
    private static let byteLimit: Int64 = 256 << 20

    /// The bytes of the Attachments element. `nil` if no SeekHead lists one, or if it is not found.
    ///
    /// - Parameters:
    ///   - head: the beginning of the file; its elements may be truncated.
    ///   - fileByteCount: the length of the file.
    ///   - nearByteCount: how many bytes at the start of the file can be read at no cost. The end of an element that
    ///     begins after them is assumed where the next element listed begins, or where the file ends.
    ///   - read: returns up to the requested number of bytes at a file offset; fewer at the end of the file.
    package static func range<Failure: Error>(
        head: [UInt8],
        fileByteCount: Int64,
        nearByteCount: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Range<Int64>? {
        let places = MatroskaLayout.listedOffsets(inHead: head)
        guard let place = places[MatroskaID.attachments], place < fileByteCount else { return nil }
        var end = places.values.filter { $0 > place }.min() ?? fileByteCount
        if place + Int64(MatroskaElement.headByteCount) <= nearByteCount {
            guard let element = try MatroskaElement.at(place, read), element.id == MatroskaID.attachments,
                let stated = element.end
            else { return nil }
            end = stated
        }
        end = min(end, fileByteCount)
        return end > place && end - place <= byteLimit ? place..<end : nil
    }
}
