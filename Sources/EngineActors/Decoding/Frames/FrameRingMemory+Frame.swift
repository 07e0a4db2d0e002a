// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

extension FrameRingMemory {
    /// Writes a frame's slot header, except for the generation and the sequence number, which `publish` writes.
    func describe(_ slot: Int, _ timed: TimedFrame, _ facts: FrameFacts, _ layout: PlaneLayout) {
        let header = headerOffset(of: slot)
        writeTimes(header, timed, facts)
        writeLayout(header, slot, layout)
        writeColors(header, facts)
        writeDynamic(header, facts)
    }

    private func writeTimes(_ header: Int, _ timed: TimedFrame, _ facts: FrameFacts) {
        typealias Slot = FrameLayout.Slot
        ring.storeReleasing(UInt64(bitPattern: timed.time.microseconds), at: header + Slot.time)
        ring.storeReleasing(UInt64(bitPattern: timed.duration.microseconds), at: header + Slot.duration)
        ring.storeReleasing(UInt64(bitPattern: facts.ticks ?? .min), at: header + Slot.sourceTicks)
        ring.storeReleasing(UInt64(bitPattern: facts.durationTicks), at: header + Slot.sourceDuration)
        ring.storeReleasing(UInt32(clamping: facts.tick?.numerator ?? 0), at: header + Slot.timeBaseNumerator)
        ring.storeReleasing(UInt32(clamping: facts.tick?.denominator ?? 0), at: header + Slot.timeBaseDenominator)
    }

    private func writeLayout(_ header: Int, _ slot: Int, _ layout: PlaneLayout) {
        typealias Slot = FrameLayout.Slot
        ring.storeReleasing(UInt32(clamping: layout.width), at: header + Slot.width)
        ring.storeReleasing(UInt32(clamping: layout.height), at: header + Slot.height)
        var name = Array(layout.formatName.utf8.prefix(Slot.formatNameBytes - 1))
        name += [UInt8](repeating: 0, count: Slot.formatNameBytes - name.count)
        ring.copy(name, to: header + Slot.formatName)
        ring.storeReleasing(UInt32(layout.planes.count), at: header + Slot.planeCount)
        for (index, plane) in layout.planes.enumerated() {
            let place = header + Slot.planes + index * Slot.planeBytes
            ring.storeReleasing(UInt64(frameOffset(of: slot) + plane.offset), at: place + Slot.planeOffset)
            ring.storeReleasing(UInt32(plane.stride), at: place + Slot.planeStride)
            ring.storeReleasing(UInt32(plane.rows), at: place + Slot.planeRows)
            ring.storeReleasing(UInt32(plane.rowBytes), at: place + Slot.planeRowBytes)
        }
    }

    private func writeColors(_ header: Int, _ facts: FrameFacts) {
        typealias Slot = FrameLayout.Slot
        ring.store(UInt16(clamping: facts.color.primaries), at: header + Slot.primaries)
        ring.store(UInt16(clamping: facts.color.transfer), at: header + Slot.transfer)
        ring.store(UInt16(clamping: facts.color.matrix), at: header + Slot.matrix)
        ring.store(facts.color.isFullRange ? 2 : 1, at: header + Slot.range)
        ring.store(UInt16(clamping: facts.chromaLocation), at: header + Slot.chromaLocation)
        ring.store(UInt16(clamping: facts.rotation), at: header + Slot.rotation)
        ring.storeReleasing(Self.flags(facts), at: header + Slot.flags)
        ring.storeReleasing(UInt32(clamping: facts.aspectRatio.numerator), at: header + Slot.aspectNumerator)
        ring.storeReleasing(UInt32(clamping: facts.aspectRatio.denominator), at: header + Slot.aspectDenominator)
        var display: [UInt32] = [UInt32](repeating: 0, count: 10)
        if let mastering = facts.masteringDisplay {
            let points = [mastering.red, mastering.green, mastering.blue, mastering.white]
            display = points.flatMap { [UInt32($0.x), UInt32($0.y)] }
            display += [mastering.maximumLuminance, mastering.minimumLuminance]
        }
        for (index, number) in display.enumerated() {
            ring.storeReleasing(number, at: header + Slot.mastering + index * 4)
        }
        let light = facts.contentLight
        ring.storeReleasing(UInt32(light?.maximum ?? 0), at: header + Slot.maximumContentLight)
        ring.storeReleasing(UInt32(light?.frameAverage ?? 0), at: header + Slot.maximumAverageLight)
    }

    /// Leaves out metadata longer than its field, because a truncated copy would be useless.
    private func writeDynamic(_ header: Int, _ facts: FrameFacts) {
        typealias Slot = FrameLayout.Slot
        func put(_ bytes: [UInt8], at place: Int, limit: Int, offsetAt offset: Int, countAt count: Int) {
            let isThere = !bytes.isEmpty && bytes.count <= limit
            if isThere { ring.copy(bytes, to: header + place) }
            ring.storeReleasing(isThere ? UInt32(place) : 0, at: header + offset)
            ring.storeReleasing(isThere ? UInt32(bytes.count) : 0, at: header + count)
        }
        put(
            facts.hdr10Plus,
            at: Slot.hdr10Plus,
            limit: Slot.hdr10PlusLimit,
            offsetAt: Slot.hdr10PlusOffset,
            countAt: Slot.hdr10PlusBytes
        )
        put(
            facts.dolbyVision,
            at: Slot.dolbyVision,
            limit: Slot.dolbyVisionLimit,
            offsetAt: Slot.dolbyVisionOffset,
            countAt: Slot.dolbyVisionBytes
        )
    }

    private static func flags(_ facts: FrameFacts) -> UInt32 {
        typealias Flag = FrameLayout.Flag
        let flags: [(Bool, UInt32)] = [
            (facts.isKey, Flag.key), (facts.isInterlaced, Flag.interlaced),
            (facts.isInterlaced && facts.isTopFieldFirst, Flag.topFieldFirst), (facts.isDamaged, Flag.damaged),
            (facts.masteringDisplay != nil, Flag.mastering), (facts.contentLight != nil, Flag.contentLight),
        ]
        return flags.reduce(0) { $1.0 ? $0 | $1.1 : $0 }
    }
}
