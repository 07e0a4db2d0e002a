// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Writes unsigned integers of any width, most significant bit first.
private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var free = 0

    mutating func write(_ value: Int, _ width: Int) {
        for bit in (0..<width).reversed() {
            if free == 0 {
                bytes.append(0)
                free = 8
            }
            free -= 1
            if value >> bit & 1 != 0 { bytes[bytes.count - 1] |= 1 << UInt8(free) }
        }
    }

    /// Writes a fraction as a number of steps of 1/`unit`, clamped to `width` bits.
    mutating func write(_ value: AVRational, of unit: Int, _ width: Int) {
        let steps = value.den > 0 && value.num >= 0 ? Int(value.num) * unit / Int(value.den) : 0
        write(min(steps, 1 << width - 1), width)
    }
}

/// The dynamic metadata of SMPTE ST 2094-40 as its ITU-T T.35 message (CTA-861.4, table S1), starting at the country
/// code. libavcodec exports parsed fields; this rebuilds the original message bit by bit.
struct HDR10PlusMessage {
    private var writer = BitWriter()

    init(_ metadata: AVDynamicHDRPlus) {
        // The United States, Samsung, ST 2094-40, application 4.
        for (value, width) in [(0xB5, 8), (0x003C, 16), (0x0001, 16), (4, 8)] { writer.write(value, width) }
        writer.write(Int(metadata.application_version), 8)
        let windows = [metadata.params.0, metadata.params.1, metadata.params.2]
            .prefix(Int(metadata.num_windows))
        writer.write(windows.count, 2)
        for window in windows.dropFirst() { write(ellipse: window) }
        writer.write(metadata.targeted_system_display_maximum_luminance, of: 1, 27)
        unsafe withUnsafeBytes(of: metadata.targeted_system_display_actual_peak_luminance) { peaks in
            unsafe write(
                peaks: peaks,
                isThere: metadata.targeted_system_display_actual_peak_luminance_flag,
                rows: metadata.num_rows_targeted_system_display_actual_peak_luminance,
                columns: metadata.num_cols_targeted_system_display_actual_peak_luminance
            )
        }
        for window in windows { write(light: window) }
        unsafe withUnsafeBytes(of: metadata.mastering_display_actual_peak_luminance) { peaks in
            unsafe write(
                peaks: peaks,
                isThere: metadata.mastering_display_actual_peak_luminance_flag,
                rows: metadata.num_rows_mastering_display_actual_peak_luminance,
                columns: metadata.num_cols_mastering_display_actual_peak_luminance
            )
        }
        for window in windows { write(curve: window) }
    }

    var bytes: [UInt8] { writer.bytes }

    /// The position and the ellipse of a window.
    private mutating func write(ellipse window: AVHDRPlusColorTransformParams) {
        let corners = [
            window.window_upper_left_corner_x, window.window_upper_left_corner_y, window.window_lower_right_corner_x,
            window.window_lower_right_corner_y,
        ]
        for corner in corners { writer.write(corner, of: 1, 16) }
        writer.write(Int(window.center_of_ellipse_x), 16)
        writer.write(Int(window.center_of_ellipse_y), 16)
        writer.write(Int(window.rotation_angle), 8)
        writer.write(Int(window.semimajor_axis_internal_ellipse), 16)
        writer.write(Int(window.semimajor_axis_external_ellipse), 16)
        writer.write(Int(window.semiminor_axis_external_ellipse), 16)
        writer.write(Int(window.overlap_process_option.rawValue), 1)
    }

    /// A grid of up to 25 by 25 values, of which the first `rows` and `columns` are used.
    private mutating func write(
        peaks: UnsafeRawBufferPointer,
        isThere: UInt8,
        rows: UInt8,
        columns: UInt8
    ) {
        writer.write(Int(isThere & 1), 1)
        guard isThere != 0 else { return }
        let (rows, columns) = (min(Int(rows), 25), min(Int(columns), 25))
        writer.write(rows, 5)
        writer.write(columns, 5)
        for row in 0..<rows {
            for column in 0..<columns {
                let place = (row * 25 + column) * MemoryLayout<AVRational>.stride
                unsafe writer.write(peaks.load(fromByteOffset: place, as: AVRational.self), of: 15, 4)
            }
        }
    }

    /// The light distribution of a window.
    private mutating func write(light window: AVHDRPlusColorTransformParams) {
        for value in [window.maxscl.0, window.maxscl.1, window.maxscl.2, window.average_maxrgb] {
            writer.write(value, of: 100_000, 17)
        }
        let count = min(Int(window.num_distribution_maxrgb_percentiles), 15)
        writer.write(count, 4)
        unsafe withUnsafeBytes(of: window.distribution_maxrgb) { bytes in
            let percentiles = unsafe bytes.bindMemory(to: AVHDRPlusPercentile.self)
            for index in 0..<count {
                unsafe writer.write(Int(percentiles[index].percentage), 7)
                unsafe writer.write(percentiles[index].percentile, of: 100_000, 17)
            }
        }
        writer.write(window.fraction_bright_pixels, of: 1000, 10)
    }

    /// The tone curve of a window.
    private mutating func write(curve window: AVHDRPlusColorTransformParams) {
        writer.write(Int(window.tone_mapping_flag & 1), 1)
        if window.tone_mapping_flag != 0 {
            writer.write(window.knee_point_x, of: 4095, 12)
            writer.write(window.knee_point_y, of: 4095, 12)
            let count = min(Int(window.num_bezier_curve_anchors), 15)
            writer.write(count, 4)
            unsafe withUnsafeBytes(of: window.bezier_curve_anchors) { bytes in
                let anchors = unsafe bytes.bindMemory(to: AVRational.self)
                for index in 0..<count { unsafe writer.write(anchors[index], of: 1023, 10) }
            }
        }
        writer.write(Int(window.color_saturation_mapping_flag & 1), 1)
        if window.color_saturation_mapping_flag != 0 { writer.write(window.color_saturation_weight, of: 8, 6) }
    }
}
