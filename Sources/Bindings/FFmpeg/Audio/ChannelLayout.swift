// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// A set of channels, in the order that libavutil defines for it (`AV_CHANNEL_ORDER_NATIVE`).
package struct ChannelLayout: Hashable, Sendable {
    /// One bit per channel (`AV_CH_*`).
    package let mask: UInt64

    /// - Parameter mask: not 0.
    package init(mask: UInt64) { self.mask = mask }

    package var count: Int { mask.nonzeroBitCount }

    /// The default layout for a number of channels (`av_channel_layout_default`); `nil` if there is none.
    package init?(channels: Int) {
        guard channels > 0, channels <= 64 else { return nil }
        var layout = unsafe AVChannelLayout()
        unsafe av_channel_layout_default(&layout, CInt(channels))
        unsafe self.init(layout)
    }

    /// A layout by libavutil's name, such as `5.1(side)` (`av_channel_layout_from_string`); `nil` if it has no native
    /// order.
    package init?(named name: String) {
        var layout = unsafe AVChannelLayout()
        guard unsafe av_channel_layout_from_string(&layout, name) == 0 else { return nil }
        defer { unsafe av_channel_layout_uninit(&layout) }
        guard unsafe layout.order == AV_CHANNEL_ORDER_NATIVE, unsafe layout.u.mask != 0 else { return nil }
        mask = unsafe layout.u.mask
    }

    /// A layout without native order is replaced by the default layout with the same number of channels; `nil` if there
    /// is none.
    init?(_ layout: AVChannelLayout) {
        if unsafe layout.order == AV_CHANNEL_ORDER_NATIVE, unsafe layout.u.mask != 0 {
            mask = unsafe layout.u.mask
        } else {
            var usual = unsafe AVChannelLayout()
            unsafe av_channel_layout_default(&usual, layout.nb_channels)
            guard unsafe usual.order == AV_CHANNEL_ORDER_NATIVE, unsafe usual.u.mask != 0 else { return nil }
            mask = unsafe usual.u.mask
        }
    }

    /// libavutil's name for the layout, such as `5.1(side)` (`av_channel_layout_describe`).
    package var name: String {
        var layout = unsafe native
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            let length = unsafe av_channel_layout_describe(&layout, buffer.baseAddress, buffer.count)
            guard length > 0 else { return "" }
            return unsafe String(decoding: UnsafeRawBufferPointer(buffer).prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    var native: AVChannelLayout {
        var layout = unsafe AVChannelLayout()
        unsafe av_channel_layout_from_mask(&layout, mask)
        return unsafe layout
    }
}
