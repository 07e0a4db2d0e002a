// SPDX-License-Identifier: Apache-2.0

/// A fragment, and where its header is in the file.
struct LocatedFragment {
    var position: Int64
    /// The end of the `moof` box.
    var end: Int64
    var fragment: MovieFragment
}

/// Reads the headers of a movie's fragments by their positions (`moof`, ISO/IEC 14496-12 §8.8.4).
struct FragmentReader {
    /// The length of a window that is searched for a fragment, in bytes. It doubles from the lower to the upper bound.
    private static let windows = 32 << 10...512 << 10
    /// In bytes. A longer `moof` box is not read.
    private static let fragmentLimit: Int64 = 4 << 20
    /// Limits the boxes visited to reach the next fragment, and the fragments visited to reach the next one of a track.
    static let boxLimit = 1024

    // Constants, because they are compared at every byte.
    private static let moof = ("moof" as BoxType).code
    private static let mfhd = ("mfhd" as BoxType).code
    private static let mdat = ("mdat" as BoxType).code

    let movie: FragmentedMovie
    /// The end of the movie's header, where the fragments begin.
    let start: Int64
    /// The length of the file.
    let byteCount: Int64

    /// The first fragment in the boxes from a position on.
    func nextFragment<Failure: Error>(
        from position: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> LocatedFragment? {
        var at = position
        for _ in 0..<Self.boxLimit {
            let head = try read(at, 16)
            guard head.count >= 8 else { return nil }
            if head.span.bigEndian32(at: 4) == Self.moof { return try fragment(at: at, read) }
            var size = Int64(head.span.bigEndian32(at: 0))
            if size == 1, head.count == 16 { size = head.span.bigEndian64(at: 8) }
            guard size >= 8, size <= byteCount - at else { return nil }
            at += size
        }
        return nil
    }

    /// The fragment that begins at a position. `nil` if none does.
    func fragment<Failure: Error>(
        at position: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> LocatedFragment? {
        guard position >= start, position < byteCount else { return nil }
        let head = try read(position, 24)
        guard head.count == 24, Self.beginsFragment(head.span, 0) else { return nil }
        let size = Int64(head.span.bigEndian32(at: 0))
        guard size <= Self.fragmentLimit, size <= byteCount - position else { return nil }
        return MovieFragment(try read(position, Int(size)), of: movie).map {
            LocatedFragment(position: position, end: position + size, fragment: $0)
        }
    }

    /// The first fragment that begins in a byte range. Any byte may be inside samples or other boxes, so a fragment is
    /// recognized by its first bytes and by the media after it, which a copy of its header elsewhere lacks.
    func firstFragment<Failure: Error>(
        in range: Range<Int64>,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> LocatedFragment? {
        var at = range.lowerBound
        var window = Self.windows.lowerBound
        while at < range.upperBound {
            let bytes = try read(at, window)
            guard bytes.count >= 24 else { return nil }
            for place in 0...bytes.count - 24
            where Self.beginsFragment(bytes.span, place) && at + Int64(place) < range.upperBound {
                if let found = try fragment(at: at + Int64(place), read), try isMedia(at: found.end, read) {
                    return found
                }
            }
            at += Int64(bytes.count - 23)
            window = min(2 * window, Self.windows.upperBound)
        }
        return nil
    }

    private func isMedia<Failure: Error>(
        at position: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Bool {
        let head = try read(position, 8)
        return head.count == 8 && head.span.bigEndian32(at: 4) == Self.mdat
    }

    /// Whether the bytes are those of a `moof` box whose first child is an `mfhd` box (§8.8.5).
    private static func beginsFragment(_ span: Span<UInt8>, _ place: Int) -> Bool {
        span.bigEndian32(at: place + 4) == moof && span.bigEndian32(at: place) >= 24
            && span.bigEndian32(at: place + 8) == 16 && span.bigEndian32(at: place + 12) == mfhd
    }
}
