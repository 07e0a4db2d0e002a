// SPDX-License-Identifier: Apache-2.0

/// An MP4 file in fragments (ISO/IEC 14496-12 §8.8): track 1 is video, track 2 audio, both with 1000 ticks per second.
package struct FragmentedMovieBytes: Sendable {
    package struct Sample: Sendable {
        package var duration: UInt32
        package var isKey: Bool
        package var offset: Int32
        package var payload: [UInt8]

        package init(_ payload: [UInt8], lasting duration: UInt32, isKey: Bool = true, offset: Int32 = 0) {
            self.payload = payload
            self.duration = duration
            self.isKey = isKey
            self.offset = offset
        }
    }

    /// The samples of one track in a fragment.
    package struct Run: Sendable {
        package var track: UInt32
        /// The decode time of the first sample (`tfdt`). `nil`: the fragment does not state it.
        package var time: Int64?
        package var samples: [Sample]

        package init(track: UInt32, at time: Int64?, _ samples: [Sample]) {
            self.track = track
            self.time = time
            self.samples = samples
        }
    }

    /// The `moov` box.
    package let movie: [UInt8]
    package private(set) var bytes: [UInt8]
    /// The positions of the fragments.
    package private(set) var positions: [Int64] = []
    /// The end of the `moov` box.
    package let start: Int64

    /// - Parameters:
    ///   - hasList: whether the file ends with a list of random access points (`mfra`).
    ///   - isSigned: whether composition offsets may be negative.
    ///   - movieSamples: the number of samples that the tables of the movie claim.
    package init(_ fragments: [[Run]], hasList: Bool = false, isSigned: Bool = false, movieSamples: UInt32 = 0) {
        movie = Self.movie(samples: movieSamples)
        bytes = Self.box("ftyp", Self.join(Array("isom".utf8), Self.word(512), Array("isom".utf8))) + movie
        start = Int64(bytes.count)
        var marks: [UInt32: [(time: Int64, position: Int64)]] = [1: [], 2: []]
        for (number, runs) in fragments.enumerated() {
            let position = Int64(bytes.count)
            positions.append(position)
            for run in runs where run.samples.contains(where: \.isKey) {
                if let time = run.time { marks[run.track]?.append((time, position)) }
            }
            bytes += Self.fragment(number, runs, isSigned: isSigned)
        }
        guard hasList else { return }
        let lists = [UInt32(1), 2].map { track in
            let found = marks[track, default: []]
            let entries = found.flatMap { Self.join(Self.long($0.time), Self.long($0.position), [1, 1, 1]) }
            let head = Self.join([1, 0, 0, 0], Self.word(track), Self.word(0), Self.word(UInt32(found.count)))
            return Self.box("tfra", head + entries)
        }
        let content = Self.join(lists[0], lists[1])
        let last = Self.box("mfro", Self.join(Self.word(0), Self.word(UInt32(content.count + 24))))
        bytes += Self.box("mfra", content + last)
    }

    // MARK: Boxes

    package static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        join(word(UInt32(content.count + 8)), Array(type.utf8), content)
    }

    /// Avoids `flatMap` and `joined`, which copy byte by byte: too slow for megabytes without optimisation.
    private static func join(_ parts: [UInt8]...) -> [UInt8] {
        var joined: [UInt8] = []
        for part in parts { joined += part }
        return joined
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    package static func word(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    package static func long(_ value: Int64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// A `moof` box and its `mdat` box.
    private static func fragment(_ number: Int, _ runs: [Run], isSigned: Bool) -> [UInt8] {
        let length = moof(number, runs, isSigned, dataAt: 0).count
        var payload: [UInt8] = []
        for run in runs {
            for sample in run.samples { payload += sample.payload }
        }
        return moof(number, runs, isSigned, dataAt: length + 8) + box("mdat", payload)
    }

    /// - Parameter start: the position of the first sample, from the start of the `moof` box.
    private static func moof(_ number: Int, _ runs: [Run], _ isSigned: Bool, dataAt start: Int) -> [UInt8] {
        var content = box("mfhd", join(word(0), word(UInt32(number + 1))))
        var place = start
        for run in runs {
            var traf = box("tfhd", join(word(0x02_0000), word(run.track)))
            if let time = run.time { traf += box("tfdt", join(word(0x0100_0000), long(time))) }
            var samples: [UInt8] = []
            for sample in run.samples {
                samples += word(sample.duration)
                samples += word(UInt32(sample.payload.count))
                samples += word(sample.isKey ? 0x0200_0000 : 0x0101_0000)
                samples += word(UInt32(bitPattern: sample.offset))
            }
            let flags: UInt32 = isSigned ? 0x0100_0F01 : 0xF01
            let head = join(word(flags), word(UInt32(run.samples.count)), word(UInt32(place)))
            traf += box("trun", head + samples)
            content += box("traf", traf)
            place += run.samples.reduce(0) { $0 + $1.payload.count }
        }
        return box("moof", content)
    }

    // MARK: The header

    private static func movie(samples: UInt32) -> [UInt8] {
        let header = join(
            zeros(12),
            word(1000),
            word(0),
            word(0x1_0000),
            [1, 0],
            zeros(10),
            matrix,
            zeros(24),
            word(3)
        )
        let size = join(word(64 << 16), word(48 << 16))
        let defaults = [UInt32(1), 2].flatMap { box("trex", join(word(0), word($0), word(1), zeros(12))) }
        return box(
            "moov",
            join(
                box("mvhd", header),
                track(1, "vide", videoEntry, size, samples),
                track(2, "soun", audioEntry, zeros(8), samples),
                box("mvex", defaults)
            )
        )
    }

    private static func track(
        _ number: UInt32,
        _ handler: String,
        _ entry: [UInt8],
        _ size: [UInt8],
        _ samples: UInt32
    ) -> [UInt8] {
        let tables = join(
            box("stsd", join(word(0), word(1), entry)),
            box("stts", zeros(8)),
            box("stsc", zeros(8)),
            box("stsz", join(word(0), word(samples > 0 ? 1 : 0), word(samples))),
            box("stco", zeros(8))
        )
        let media = join(
            box("mdhd", join(zeros(12), word(1000), word(0), [0x55, 0xC4, 0, 0])),
            box("hdlr", join(zeros(8), Array(handler.utf8), zeros(13))),
            box("minf", box("stbl", tables))
        )
        let header = join(word(3), zeros(8), word(number), zeros(24), matrix, size)
        return box("trak", join(box("tkhd", header), box("mdia", media)))
    }

    private static let matrix: [UInt8] = {
        let values: [UInt32] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000]
        return values.flatMap { word($0) }
    }()

    private static let videoEntry = box(
        "avc1",
        join(zeros(7), [1], zeros(16), [0, 64, 0, 48], zeros(12), [0, 1], zeros(32), [0, 24, 0xFF, 0xFF])
    )

    private static let audioEntry = box(
        "mp4a",
        join(zeros(7), [1], zeros(8), [0, 2, 0, 16], zeros(4), word(48_000 << 16))
    )
}
