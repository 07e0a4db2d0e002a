// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import EngineModel

/// The `AVMasteringDisplayMetadata` of a stream, if it has both primaries and luminance and all values are in range.
func masteringDisplay(of stream: UnsafeMutablePointer<AVStream>) -> MasteringDisplay? {
    guard let data = unsafe av_stream_get_side_data(stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, nil) else {
        return nil
    }
    return unsafe data.withMemoryRebound(to: AVMasteringDisplayMetadata.self, capacity: 1) { pointer in
        let found = unsafe pointer.pointee
        guard found.has_primaries != 0, found.has_luminance != 0 else { return nil }
        let primaries = found.display_primaries
        guard let red = chromaticity(primaries.0.0, primaries.0.1),
            let green = chromaticity(primaries.1.0, primaries.1.1),
            let blue = chromaticity(primaries.2.0, primaries.2.1),
            let white = chromaticity(found.white_point.0, found.white_point.1),
            let maximum = steps(found.max_luminance, each: 10_000, limit: Double(UInt32.max)),
            let minimum = steps(found.min_luminance, each: 10_000, limit: Double(UInt32.max))
        else { return nil }
        return MasteringDisplay(
            red: red,
            green: green,
            blue: blue,
            white: white,
            maximumLuminance: UInt32(maximum),
            minimumLuminance: UInt32(minimum)
        )
    }
}

/// The `AVContentLightMetadata` of a stream.
func contentLight(of stream: UnsafeMutablePointer<AVStream>) -> ContentLight? {
    guard let data = unsafe av_stream_get_side_data(stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, nil) else { return nil }
    return unsafe data.withMemoryRebound(to: AVContentLightMetadata.self, capacity: 1) { pointer in
        unsafe ContentLight(
            maximum: UInt16(clamping: pointer.pointee.MaxCLL),
            frameAverage: UInt16(clamping: pointer.pointee.MaxFALL)
        )
    }
}

private func chromaticity(_ x: AVRational, _ y: AVRational) -> MasteringDisplay.Chromaticity? {
    guard let x = steps(x, each: 50_000, limit: Double(UInt16.max)),
        let y = steps(y, each: 50_000, limit: Double(UInt16.max))
    else { return nil }
    return .init(x: UInt16(x), y: UInt16(y))
}

/// A fraction as a whole number of steps of 1/`each`. `nil` if it is below 0 or above `limit`.
private func steps(_ fraction: AVRational, each: Double, limit: Double) -> Double? {
    guard fraction.den != 0 else { return nil }
    let value = (Double(fraction.num) / Double(fraction.den) * each).rounded()
    return value >= 0 && value <= limit ? value : nil
}
