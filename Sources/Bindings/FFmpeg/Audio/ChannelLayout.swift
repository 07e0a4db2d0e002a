// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Which channels there are, in the one order that libavutil gives a set of channels (`AV_CHANNEL_ORDER_NATIVE`).
package struct ChannelLayout: Hashable, Sendable {
    /// A bit a channel (`AV_CH_*`).
    package let mask: UInt64

    /// - Parameter mask: not 0.
    package init(mask: UInt64) { self.mask = mask }

    package var count: Int { mask.nonzeroBitCount }

    /// The usual layout of so many channels (`av_channel_layout_default`); `nil` where there is none.
    package init?(channels: Int) {
        guard channels > 0, channels <= 64 else { return nil }
        var layout = unsafe AVChannelLayout()
        unsafe av_channel_layout_default(&layout, CInt(channels))
        unsafe self.init(layout)
    }

    /// A layout by libavutil's name for it, such as `5.1(side)` (`av_channel_layout_from_string`); `nil` for one that has no
    /// native order.
    package init?(named name: String) {
        var layout = unsafe AVChannelLayout()
        guard unsafe av_channel_layout_from_string(&layout, name) == 0 else { return nil }
        defer { unsafe av_channel_layout_uninit(&layout) }
        guard unsafe layout.order == AV_CHANNEL_ORDER_NATIVE, unsafe layout.u.mask != 0 else { return nil }
        mask = unsafe layout.u.mask
    }

    /// A layout without an order of its own is taken for the usual one of as many channels.
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

    /// The name libavutil has for it, such as `5.1(side)` (`av_channel_layout_describe`).
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
