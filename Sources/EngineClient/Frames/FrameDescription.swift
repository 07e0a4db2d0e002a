// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import EngineRuntime

/// The format, timing and metadata of a frame in the ring.
public struct FrameDescription: Hashable, Sendable {
    /// One plane of pixels.
    public struct Plane: Hashable, Sendable {
        /// In bytes, from the start of the ring.
        let offset: Int
        /// Bytes from the start of one row to the start of the next.
        public let stride: Int
        public let rows: Int
        /// Bytes of a row that hold pixels.
        public let rowBytes: Int

        /// - Precondition: rows and strides are no larger than the ring.
        var byteCount: Int { rows == 0 ? 0 : stride * (rows - 1) + rowBytes }
    }

    /// The time at which the frame appears, and how long it is shown.
    public let time: MediaTime
    public let duration: MediaTime
    /// The source's own timestamp, in ticks of its time base. `nil` when it has none.
    public let sourceTicks: Int64?
    public let sourceDuration: Int64
    public let width: Int
    public let height: Int
    /// FFmpeg's name of the pixel format, such as `yuv420p` or `rgbaf16le`.
    public let pixelFormat: String
    public let planes: [Plane]
    public let color: ColorDescription
    /// As in FFmpeg's `AVChromaLocation`; 0 when unspecified.
    public let chromaLocation: Int
    /// Clockwise, in degrees: 0, 90, 180 or 270.
    public let rotation: Int
    public let aspectRatio: Ratio
    public let isKey: Bool
    public let isInterlaced: Bool
    public let isTopFieldFirst: Bool
    /// Whether the frame may be incomplete.
    public let isDamaged: Bool
    public let masteringDisplay: MasteringDisplay?
    public let contentLight: ContentLight?
    /// An ITU-T T.35 message of SMPTE ST 2094-40, starting with its country code. Empty when there is none.
    public let hdr10Plus: [UInt8]
    /// A Dolby Vision reference processing unit (RPU). Empty when there is none.
    public let dolbyVision: [UInt8]

    /// - Parameters:
    ///   - header: the offset of the slot's header.
    ///   - headerBytes: the length of the header.
    init?(_ header: Int, of headerBytes: Int, in ring: SharedMemory) {
        typealias Slot = FrameLayout.Slot
        func long(_ place: Int) -> Int64 { Int64(bitPattern: ring.loadAcquiring(at: header + place)) }
        func word(_ place: Int) -> Int { Int(ring.loadAcquiring(UInt32.self, at: header + place)) }
        func short(_ place: Int) -> Int { Int(ring.load(UInt16.self, at: header + place)) }
        guard let planes = Self.planes(word(Slot.planeCount), header, in: ring) else { return nil }
        func message(_ offset: Int, _ count: Int) -> [UInt8] {
            guard count > 0, count <= headerBytes, offset <= headerBytes - count else { return [] }
            return ring.bytes(at: header + offset, count: count)
        }
        self.planes = planes
        time = MediaTime(microseconds: long(Slot.time))
        duration = MediaTime(microseconds: long(Slot.duration))
        let ticks = long(Slot.sourceTicks)
        sourceTicks = ticks == .min ? nil : ticks
        sourceDuration = long(Slot.sourceDuration)
        (width, height) = (word(Slot.width), word(Slot.height))
        let name = ring.bytes(at: header + Slot.formatName, count: Slot.formatNameBytes).prefix { $0 != 0 }
        pixelFormat = String(decoding: name, as: UTF8.self)
        color = ColorDescription(
            primaries: short(Slot.primaries),
            transfer: short(Slot.transfer),
            matrix: short(Slot.matrix),
            isFullRange: short(Slot.range) == 2
        )
        chromaLocation = short(Slot.chromaLocation)
        rotation = short(Slot.rotation)
        aspectRatio = Ratio(word(Slot.aspectNumerator), word(Slot.aspectDenominator))
        let flags = UInt32(truncatingIfNeeded: word(Slot.flags))
        isKey = flags & FrameLayout.Flag.key != 0
        isInterlaced = flags & FrameLayout.Flag.interlaced != 0
        isTopFieldFirst = flags & FrameLayout.Flag.topFieldFirst != 0
        isDamaged = flags & FrameLayout.Flag.damaged != 0
        let display = (0..<10).map { word(Slot.mastering + $0 * 4) }
        masteringDisplay = flags & FrameLayout.Flag.mastering != 0 ? Self.mastering(display) : nil
        let light = ContentLight(
            maximum: UInt16(clamping: word(Slot.maximumContentLight)),
            frameAverage: UInt16(clamping: word(Slot.maximumAverageLight))
        )
        contentLight = flags & FrameLayout.Flag.contentLight != 0 ? light : nil
        hdr10Plus = message(word(Slot.hdr10PlusOffset), word(Slot.hdr10PlusBytes))
        dolbyVision = message(word(Slot.dolbyVisionOffset), word(Slot.dolbyVisionBytes))
    }

    private static func planes(_ count: Int, _ header: Int, in ring: SharedMemory) -> [Plane]? {
        typealias Slot = FrameLayout.Slot
        guard (1...4).contains(count) else { return nil }
        var planes: [Plane] = []
        for index in 0..<count {
            let place = header + Slot.planes + index * Slot.planeBytes
            let plane = Plane(
                offset: Int(clamping: ring.loadAcquiring(at: place + Slot.planeOffset)),
                stride: Int(ring.loadAcquiring(UInt32.self, at: place + Slot.planeStride)),
                rows: Int(ring.loadAcquiring(UInt32.self, at: place + Slot.planeRows)),
                rowBytes: Int(ring.loadAcquiring(UInt32.self, at: place + Slot.planeRowBytes))
            )
            guard plane.rowBytes <= plane.stride, plane.stride <= ring.byteCount, plane.rows <= ring.byteCount,
                plane.byteCount <= ring.byteCount,
                plane.offset <= ring.byteCount - plane.byteCount
            else { return nil }
            planes.append(plane)
        }
        return planes
    }

    private static func mastering(_ numbers: [Int]) -> MasteringDisplay {
        func point(_ index: Int) -> MasteringDisplay.Chromaticity {
            .init(x: UInt16(clamping: numbers[2 * index]), y: UInt16(clamping: numbers[2 * index + 1]))
        }
        return MasteringDisplay(
            red: point(0),
            green: point(1),
            blue: point(2),
            white: point(3),
            maximumLuminance: UInt32(clamping: numbers[8]),
            minimumLuminance: UInt32(clamping: numbers[9])
        )
    }
}
