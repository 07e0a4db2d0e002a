// SPDX-License-Identifier: Apache-2.0

extension RandomAccess {
    private static let recoveryPoint = 6

    static func h264(_ transform: SampleTransform, _ prefix: Span<UInt8>) -> Bool? {
        for range in leadingUnits(transform, prefix) {
            switch H264.unitType(prefix[range.lowerBound]) {
            case H264.idrSlice:
                return true
            case H264.supplementalInformation:
                if recoveryPoint(in: prefix.extracting(range)) != nil { return true }
            case H264.slice, H264.dataPartitionA:
                return isIntraSlice(prefix.extracting(range))
            default:
                break
            }
        }
        return nil
    }

    static func isGradualH264(_ transform: SampleTransform, _ prefix: Span<UInt8>) -> Bool {
        for range in leadingUnits(transform, prefix) {
            switch H264.unitType(prefix[range.lowerBound]) {
            case H264.idrSlice, H264.slice, H264.dataPartitionA:
                return false
            case H264.supplementalInformation:
                guard let payload = recoveryPoint(in: prefix.extracting(range)) else { continue }
                var reader = BitReader(payload, subject: "recovery point")
                // A message without the number of frames does not announce a gradual refresh.
                do throws(PackagingError) { return try reader.unsignedExpGolomb() > 0 } catch { return false }
            default:
                break
            }
        }
        return false
    }

    /// The payload of the recovery point message; `nil` if there is none. Parses sei_message, ITU-T H.264 §7.3.2.3.1. A
    /// truncated message ends the search.
    private static func recoveryPoint(in unit: Span<UInt8>) -> [UInt8]? {
        var index = 1
        while index < unit.count, unit[index] != 0x80 {
            guard let type = number(unit, &index), let size = number(unit, &index) else { return nil }
            if type == recoveryPoint { return (index..<min(index + size, unit.count)).map { unit[$0] } }
            guard size <= unit.count - index else { return nil }
            index += size
        }
        return nil
    }

    /// A number coded as a run of 255s and a final byte.
    private static func number(_ unit: Span<UInt8>, _ index: inout Int) -> Int? {
        var value = 0
        while index < unit.count {
            let byte = unit[index]
            index += 1
            value += Int(byte)
            if byte != 255 { return value }
        }
        return nil
    }

    /// slice_type of the slice header, §7.4.3: 2 and 7 are I, 4 and 9 SI. `nil` if the slice ends before it.
    private static func isIntraSlice(_ unit: Span<UInt8>) -> Bool? {
        var head: [UInt8] = []
        for index in 1..<max(1, min(unit.count, 16)) { head.append(unit[index]) }
        do throws(PackagingError) {
            var reader = BitReader(try RawPayload.unescaped(head), subject: "slice header")
            _ = try reader.unsignedExpGolomb()
            return [2, 4, 7, 9].contains(try reader.unsignedExpGolomb())
        } catch {
            return nil
        }
    }
}
