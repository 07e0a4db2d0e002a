// SPDX-License-Identifier: Apache-2.0

/// Finds the attachments of a Matroska file (RFC 9559 §5.1.6), such as fonts. A demuxer reads all of them when it opens
/// the file, so those of a file on a server are requested together, in advance.
package enum MatroskaAttachments {
    /// At most this many bytes are requested. More would evict the first bytes from the cache before they are read.
    private static let byteLimit: Int64 = 32 << 20
    /// The same if the end of the element is assumed.
    private static let unverifiedByteLimit: Int64 = 8 << 20

    /// The bytes of the Attachments element, or the first of them if it is long. `nil` if no SeekHead lists the
    /// element, if it is not at the listed offset, or if it does not state its length.
    ///
    /// - Parameters:
    ///   - head: the beginning of the file; its elements may be truncated.
    ///   - fileByteCount: the length of the file.
    ///   - nearByteCount: how many bytes at the start of the file are already being fetched. If the header of the
    ///     element is not among them, it is not read: the element is assumed to extend to the next listed element, or
    ///     to the end of the file.
    ///   - read: returns up to the requested number of bytes at a file offset; fewer at the end of the file.
    package static func range<Failure: Error>(
        head: [UInt8],
        fileByteCount: Int64,
        nearByteCount: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Range<Int64>? {
        let places = MatroskaLayout.listedOffsets(inHead: head)
        guard let place = places[MatroskaID.attachments], place < fileByteCount else { return nil }
        let next = places.values.filter { $0 > place }.min() ?? fileByteCount
        var end = min(next, place + unverifiedByteLimit)
        if place + Int64(MatroskaElement.headByteCount) <= nearByteCount {
            guard let element = try MatroskaElement.at(place, read), element.id == MatroskaID.attachments,
                let stated = element.end
            else { return nil }
            end = min(stated, place + byteLimit)
        }
        end = min(end, fileByteCount)
        return end > place ? place..<end : nil
    }
}
