// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Finds the audio streams of a DVD's title that its first unit lacks, and where they begin. Each unit states which
/// audio it has.
struct UnitSamples {
    /// A unit of the title.
    struct Unit {
        let sector: Int64
        /// The number of sectors until the next unit of the video objects.
        let sectorCount: Int64
        /// The index of its part.
        let part: Int
        /// Whether a cell begins with it.
        let beginsCell: Bool
    }

    /// The maximum number of cells that are searched for one stream, and the same on a server.
    private static let (cellLimit, remoteCellLimit) = (256, 16)
    /// The maximum number of units whose audio is taken. They begin with the unit before the first one with audio, if
    /// that is in the same part, because packs of audio may precede the pictures with which they are presented.
    private static let sampleCount = 4
    /// No unit has more sectors: it lasts at most one second, at 10.08 Mbit/s.
    private static let sectorLimit: Int64 = 1024

    private let units: [Unit]
    private let reader: DiscFileReader
    private var known: [Int: VideoUnit?] = [:]

    /// - Parameter units: those of the title, in order.
    init(_ units: [Unit], _ reader: DiscFileReader) {
        self.units = units
        self.reader = reader
    }

    /// Adds the first packs of the streams that the title's first unit lacks.
    ///
    /// - Parameter streams: the numbers of audio streams in program streams.
    mutating func add(_ streams: [Int], to head: inout TitleHead) throws(EngineError) {
        for stream in streams {
            guard let first = try firstUnit(with: stream & 7) else { continue }
            let start = first > 0 && units[first - 1].part == units[first].part ? first - 1 : first
            var packs: [UInt8] = []
            for unit in units[start...].prefix(Self.sampleCount) where unit.part == units[first].part {
                let count = min(unit.sectorCount, Self.sectorLimit)
                let range =
                    unit.sector * ImageBytes.sectorByteCount..<(unit.sector + count) * ImageBytes.sectorByteCount
                packs += try reader.read(range)
            }
            head.add(PackSample.bytes(packs, of: stream), of: units[first].part)
        }
    }

    /// The index of the first unit that has audio of a number. Searches the first units of cells, and the last unit of
    /// the title, for one with this audio, and then the units before that one by bisection. `nil` if the first unit of
    /// the title has this audio, if that is not stated, or if no searched unit has it.
    private mutating func firstUnit(with number: Int) throws(EngineError) -> Int? {
        guard !units.isEmpty, try state(of: number, in: 0) == .silent else { return nil }
        let cells = units.indices.dropFirst().filter { units[$0].beginsCell }
            .prefix(reader.isRemote ? Self.remoteCellLimit : Self.cellLimit)
        var low = 0
        for place in cells + [units.count - 1] {
            guard try state(of: number, in: place) == .audible else {
                low = place
                continue
            }
            var high = place
            while high - low > 1 {
                let middle = (low + high) / 2
                if try state(of: number, in: middle) == .audible { high = middle } else { low = middle }
            }
            return high
        }
        return nil
    }

    private enum State { case audible, silent, unknown }

    private mutating func state(of number: Int, in place: Int) throws(EngineError) -> State {
        let unit: VideoUnit?
        if let found = known[place] {
            unit = found
        } else {
            let start = units[place].sector * ImageBytes.sectorByteCount
            unit = VideoUnit(try reader.read(start..<start + Int64(VideoUnit.packByteCount)))
            known[place] = .some(unit)
        }
        guard let audio = unit?.hasAudio else { return .unknown }
        return audio[number] ? .audible : .silent
    }
}
