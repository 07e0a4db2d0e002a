// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging
internal import Reading
internal import Segments
internal import Stills

/// What a session makes for players besides segments, and the requests that wait for the source to be opened.
struct SessionServing {
    /// Reads single keyframes. Created when the first one is requested.
    private var keyframes: KeyframeReader?
    /// Makes stills. Created when the first one is requested.
    private var extractor: FrameExtractor?
    private var sheets = StoryboardSheets()
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Holds a request until `admit`.
    mutating func hold(_ request: CheckedContinuation<Void, Never>) { waiting.append(request) }

    /// Resumes the requests that were held.
    mutating func admit() {
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    mutating func keyframeReader(of source: OpenedSource) -> KeyframeReader {
        let reader = keyframes ?? KeyframeReader(source)
        keyframes = reader
        return reader
    }

    mutating func frameExtractor(of source: OpenedSource) -> FrameExtractor {
        let made = extractor ?? FrameExtractor(.opened(source))
        extractor = made
        return made
    }

    /// A storyboard sheet that has been made already.
    mutating func sheet(_ index: Int) -> [UInt8]? { sheets.sheet(index) }

    mutating func keep(_ sheet: [UInt8], _ index: Int) { sheets.keep(sheet, index) }

    /// Releases the threads of the readers.
    mutating func shutDown() {
        extractor?.shutDown()
        extractor = nil
        keyframes?.shutDown()
        keyframes = nil
    }
}

/// The extractor that makes a source's stills, with what is known about the source.
struct SessionStills: Sendable {
    let extractor: FrameExtractor
    var plan: SegmentPlan?
    var duration: MediaTime?
}
