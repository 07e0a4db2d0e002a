// SPDX-License-Identifier: Apache-2.0

internal import CAss
internal import DrawingWire
internal import Glibc
internal import Packaging

/// Draws the events of one ASS script with libass, at any time, for a canvas of a fixed size.
///
/// A picture depends on the header, the fonts and the events on screen. Where lines would cover each other, it also
/// depends on earlier pictures, because libass does not move lines that are already on screen.
///
/// Not thread-safe. Every call may take long, and may use as much memory as the process is allowed.
@safe struct ScriptDrawer: ~Copyable {
    /// A picture needs more layers than `blendingLimit` allows, or more memory than the process is allowed.
    struct LimitExceeded: Error {}

    /// A part of a picture: RGBA, premultiplied by alpha, rows without padding.
    struct Region {
        let box: PixelBox
        var pixels: [UInt8] = []
    }

    /// The maximum total area of the images that are blended for one picture, in areas of the canvas.
    static let blendingLimit = 200
    /// The maximum number of pixels that are blended at a time, because they need 16 bytes each.
    private static let bandArea = 1 << 20
    private static let glyphLimit: CInt = 5000
    private static let bitmapMegabyteLimit: CInt = 64
    /// Events that have ended are released each time this many events have been added.
    private static let pruningInterval = 256

    private let library: OpaquePointer
    private let renderer: OpaquePointer
    private let track: UnsafeMutablePointer<ASS_Track>
    private let canvas: PixelBox
    private var addedCount = 0
    /// Whether `layOut` was called after the last `draw`, or nothing was drawn yet. libass then compares the next
    /// picture with one that `draw` has not returned.
    private var isStale = true

    /// - Parameters:
    ///   - header: the script up to its events, as in `ASSWriter.head`. Fonts embedded in it are used.
    ///   - fonts: whole font files. All other fonts are taken from the system.
    init(header: [UInt8], fonts: [[UInt8]], _ setup: DrawingSetup) {
        guard let library = unsafe ass_library_init() else { fatalError("libass: out of memory") }
        // Must come before `ass_renderer_init`, in which libass would log its version.
        unsafe CAssIgnoreMessages(library)
        guard let renderer = unsafe ass_renderer_init(library), let track = unsafe ass_new_track(library) else {
            fatalError("libass: out of memory")
        }
        unsafe self.library = library
        unsafe self.renderer = renderer
        unsafe self.track = track
        canvas = PixelBox(x: 0, y: 0, width: setup.width, height: setup.height)
        unsafe ass_set_extract_fonts(library, 1)
        for font in fonts {
            unsafe font.withUnsafeBytes { bytes in
                let data = unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress
                unsafe ass_add_font(library, "attachment", data, CInt(clamping: bytes.count))
            }
        }
        unsafe Self.lend(header) { text, count in unsafe ass_process_codec_private(track, text, count) }
        // Many muxers number all events 0. With the check, libass would drop all but the first as duplicates.
        unsafe ass_set_check_readorder(track, 0)
        unsafe ass_set_frame_size(renderer, CInt(clamping: setup.width), CInt(clamping: setup.height))
        let hasStorage = setup.storageWidth > 0 && setup.storageHeight > 0
        let (width, height) = hasStorage ? (setup.storageWidth, setup.storageHeight) : (setup.width, setup.height)
        unsafe ass_set_storage_size(renderer, CInt(clamping: width), CInt(clamping: height))
        unsafe ass_set_cache_limits(renderer, Self.glyphLimit, Self.bitmapMegabyteLimit)
        // Must come after `ass_add_font`, because libass collects the fonts here.
        let provider = CInt(ASS_FONTPROVIDER_AUTODETECT.rawValue)
        unsafe ass_set_fonts(renderer, nil, "sans-serif", provider, nil, 1)
    }

    deinit {
        unsafe ass_free_track(track)
        unsafe ass_renderer_done(renderer)
        unsafe ass_library_done(library)
    }

    /// Adds an event.
    ///
    /// - Parameters:
    ///   - event: a line in Matroska's form, as in `ASSEvent`.
    ///   - start: in milliseconds.
    ///   - now: events that ended before it may be released, in milliseconds.
    mutating func add(_ event: [UInt8], start: Int64, duration: Int64, now: Int64) {
        let track = unsafe track
        unsafe Self.lend(event) { text, count in unsafe ass_process_chunk(track, text, count, start, duration) }
        addedCount += 1
        if addedCount.isMultiple(of: Self.pruningInterval) { prune(before: now) }
    }

    /// How many events libass holds.
    var eventCount: Int { Int(unsafe track.pointee.n_events) }

    /// Releases the events that ended before `now`, because libass examines all events for every picture.
    private func prune(before now: Int64) {
        guard let events = unsafe track.pointee.events else { return }
        var kept = 0
        for index in 0..<Int(unsafe track.pointee.n_events) {
            let event = unsafe events[index]
            if unsafe event.Start + event.Duration < now {
                unsafe ass_free_event(track, CInt(index))
            } else {
                unsafe events[kept] = unsafe event
                kept += 1
            }
        }
        unsafe track.pointee.n_events = CInt(kept)
    }

    /// Lays out the lines of one moment, as `draw` does, but returns no picture.
    ///
    /// - Parameter now: in milliseconds.
    mutating func layOut(at now: Int64) {
        _ = unsafe ass_render_frame(renderer, track, now, nil)
        isStale = true
    }

    /// Draws the picture of one moment.
    ///
    /// - Parameter now: in milliseconds.
    /// - Returns: the parts of the picture, without overlap; `nil` if the picture is that of the previous call.
    /// - Throws: if the picture needs too many layers or too much memory.
    mutating func draw(at now: Int64) throws(LimitExceeded) -> [Region]? {
        var change = CInt(0)
        // When an allocation fails, libass omits parts of the picture without an error; only `errno` shows it.
        errno = 0
        let first = unsafe ass_render_frame(renderer, track, now, &change)
        guard errno != ENOMEM else { throw LimitExceeded() }
        guard change != 0 || isStale else { return nil }
        isStale = false
        guard let first = unsafe first else { return [] }
        var regions = PictureRegions(on: canvas)
        var area = 0
        var next: UnsafeMutablePointer<ASS_Image>? = unsafe first
        while let image = unsafe next {
            let box = unsafe Self.box(image)
            area += box.width * box.height
            regions.add(box)
            unsafe next = unsafe image.pointee.next
        }
        guard area <= Self.blendingLimit * canvas.width * canvas.height else { throw LimitExceeded() }
        return regions.boxes.map { unsafe Self.paint($0, first) }
    }

    /// Blends what lies in a box, a band of rows at a time.
    private static func paint(_ box: PixelBox, _ first: UnsafeMutablePointer<ASS_Image>) -> Region {
        var region = Region(box: box)
        region.pixels.reserveCapacity(box.width * box.height * 4)
        let height = max(1, bandArea / box.width)
        for y in stride(from: box.y, to: box.y + box.height, by: height) {
            let rows = min(height, box.y + box.height - y)
            var band = PaintedRegion(PixelBox(x: box.x, y: y, width: box.width, height: rows))
            var next: UnsafeMutablePointer<ASS_Image>? = unsafe first
            while let image = unsafe next {
                unsafe blend(image, into: &band)
                unsafe next = unsafe image.pointee.next
            }
            region.pixels += band.pixels
        }
        return region
    }

    private static func box(_ image: UnsafeMutablePointer<ASS_Image>) -> PixelBox {
        let (x, y) = unsafe (Int(image.pointee.dst_x), Int(image.pointee.dst_y))
        return unsafe PixelBox(x: x, y: y, width: Int(image.pointee.w), height: Int(image.pointee.h))
    }

    private static func blend(_ image: UnsafeMutablePointer<ASS_Image>, into region: inout PaintedRegion) {
        let (width, height) = unsafe (Int(image.pointee.w), Int(image.pointee.h))
        guard width > 0, height > 0, let start = unsafe image.pointee.bitmap else { return }
        let stride = unsafe Int(image.pointee.stride)
        // The last row has no padding.
        let bytes = unsafe UnsafeBufferPointer(start: start, count: stride * (height - 1) + width)
        unsafe region.blend(bytes.span, stride: stride, at: box(image), color: image.pointee.color)
    }

    /// Lends a copy of the text as a C string, without its NULs.
    private static func lend(_ text: [UInt8], _ body: (UnsafeMutablePointer<CChar>, CInt) -> Void) {
        var bytes = Array(text.lazy.filter { $0 != 0 }.map { CChar(bitPattern: $0) })
        let count = CInt(clamping: bytes.count)
        bytes.append(0)
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            if let start = buffer.baseAddress { unsafe body(start, count) }
        }
    }
}
