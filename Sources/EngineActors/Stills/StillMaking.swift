// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Reading

/// Turns decoded frames into image files.
enum StillMaking {
    static func still(
        _ found: FrameFinder.Found,
        of video: VideoProperties,
        style: StillStyle,
        path: String,
        graphs: StillGraphs
    ) throws(EngineError) -> Still {
        do throws(StillError) {
            let shown = try StillRenderer.renderToCode(
                found.frame,
                of: video,
                style: style,
                mapping: found.mapping,
                graphs: graphs
            )
            // If an edit starts within a frame, the frame begins before the timeline, and the still's time is 0.
            let start = max(.zero, found.time)
            return Still(
                bytes: try StillEncoder.encode(shown, style: style),
                format: style.format,
                width: shown.width,
                height: shown.height,
                time: start,
                duration: found.duration.map { max(.zero, $0 - (start - found.time)) }
            )
        } catch {
            throw EngineError(error, "a frame of \(path) cannot be encoded as \(style.format.rawValue)")
        }
    }

    /// Decodes the cover of a source.
    static func cover(
        _ reader: SourceReader,
        _ parameters: CodecParameters,
        _ stream: StreamDescription
    ) throws(EngineError) -> VideoFrame {
        do throws(FFmpegError) {
            var decoder = try VideoDecoder.open(parameters, threading: .slices)
            if let packet = reader.context.attachedPicture(ofStream: stream.index) {
                try decoder.send(packet)
                try decoder.drain()
                if case .frame(let frame) = try decoder.receive() { return frame }
            }
        } catch {
            throw EngineError(
                .noPlayableStream,
                "the cover of \(reader.file.path) cannot be decoded",
                cause: "\(error)"
            )
        }
        throw EngineError(.noPlayableStream, "the cover of \(reader.file.path) cannot be decoded")
    }

    static func sheet(
        of cells: [ContactSheet.Cell],
        _ request: ContactSheetRequest,
        path: String
    ) throws(EngineError) -> Still {
        do throws(StillError) {
            let sheet = try drawn(cells, request)
            return Still(
                bytes: try StillEncoder.encode(sheet, style: request.style),
                format: request.style.format,
                width: sheet.width,
                height: sheet.height,
                time: cells.first?.time ?? .zero
            )
        } catch {
            throw EngineError(error, "the contact sheet of \(path) cannot be drawn")
        }
    }
    private static func drawn(
        _ cells: [ContactSheet.Cell],
        _ request: ContactSheetRequest
    ) throws(StillError) -> VideoFrame {
        do throws(FFmpegError) {
            return try ContactSheet.draw(cells, columns: request.columns, style: request.style)
        } catch {
            throw .library(error)
        }
    }
}

extension EngineError {
    /// - Parameter message: names the failed operation and its input.
    init(_ error: StillError, _ message: String) {
        let code: Code =
            switch error {
            case .library: .internal
            case .noDolbyVisionMetadata: .noPlayableStream
            case .tooDeep: .invalidArgument
            }
        self.init(code, message, cause: "\(error)")
    }
}
