// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Properties in the first sample entry of a track that libavformat 5.1 does not expose (ISO/IEC 14496-12 §8.5.2).
package struct MovieEntry {
    /// Size of an entry's header and fields before its boxes.
    private enum Fields {
        static let video = 86
        static let audio = 36
    }

    private let movie: [UInt8]
    private let entry: Range<Int>

    /// - Parameters:
    ///   - movie: the bytes of a `moov` box.
    ///   - trackNumber: counted from 0.
    package init?(inMovie movie: [UInt8], trackNumber: Int) {
        let span = movie.span
        guard let table = span.sampleTable(ofTrack: trackNumber), let list = span.box("stsd", in: table),
            list.count >= 16
        else { return nil }
        let start = list.lowerBound + 8
        let size = Int(span.bigEndian32(at: start))
        guard size >= 8, size <= list.upperBound - start else { return nil }
        self.movie = movie
        entry = start..<(start + size)
    }

    private func payload(_ type: String, after fields: Int) -> [UInt8]? {
        guard entry.count > fields else { return nil }
        return movie.span.box(type, in: (entry.lowerBound + fields)..<entry.upperBound).map { Array(movie[$0]) }
    }

    /// The cropping that `clap` (§12.1.4) specifies. `nil` without `clap`, or if its area does not lie within the
    /// picture.
    package func cropping(width: Int, height: Int) -> Cropping? {
        guard let payload = payload("clap", after: Fields.video), payload.count >= 32 else { return nil }
        let span = payload.span
        func fraction(_ index: Int) -> Double? {
            let numerator = Int32(bitPattern: span.bigEndian32(at: index * 8))
            let denominator = Int32(bitPattern: span.bigEndian32(at: index * 8 + 4))
            return denominator > 0 ? Double(numerator) / Double(denominator) : nil
        }
        guard let wide = fraction(0), let high = fraction(1), let right = fraction(2), let down = fraction(3),
            wide >= 1, high >= 1
        else { return nil }
        // The offsets are from the centre of the picture to the centre of the aperture.
        let left = ((Double(width) - wide) / 2 + right).rounded()
        let top = ((Double(height) - high) / 2 + down).rounded()
        let cropping = Cropping(
            left: Int(left),
            top: Int(top),
            right: width - Int(left) - Int(wide.rounded()),
            bottom: height - Int(top) - Int(high.rounded())
        )
        return cropping.fits(width: width, height: height) ? cropping : nil
    }

    /// The complexity index of joint object coding in `dec3` (ETSI TS 103 420 §C.3.2); `nil` if there is none.
    package var claimedObjects: Int? {
        guard let payload = payload("dec3", after: Fields.audio), payload.count >= 2 else { return nil }
        var reader = BitReader(payload, subject: "dec3")
        do throws(PackagingError) {
            try reader.skip(13)
            for _ in 0...(try reader.int(3)) {
                try reader.skip(2 + 5 + 1 + 1 + 3 + 3 + 1 + 3)
                try reader.skip(try reader.int(4) > 0 ? 9 : 1)
            }
            try reader.skip(7)
            guard try reader.flag() else { return nil }
            return try reader.int(8)
        } catch {
            return nil
        }
    }
}
