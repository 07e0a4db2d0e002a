// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import EngineTestKit
import Packaging
@testable import Reading

extension ScriptedSource {
    /// All of the source as a file of a disc.
    var file: DiscFile { DiscFile(pieces: [.init(source: self, range: 0..<byteCount)]) }
}

/// The files of a disc in memory.
struct MemoryDiscFiles: DiscFiles {
    let path = "/disc"
    let label: String
    let fileName: FilePath? = nil
    let notices: [Notice] = []
    let files: [String: ScriptedSource]

    /// - Parameters:
    ///   - files: the bytes of each file, by its path.
    ///   - isRemote: whether the files are on a server.
    init(_ files: [String: [UInt8]], label: String = "", isRemote: Bool = false) {
        self.files = files.mapValues { ScriptedSource($0, isRemote: isRemote) }
        self.label = label
    }

    func names(in folder: [String], _ interrupt: InterruptFlag) throws(EngineError) -> [String] {
        let start = folder.map { $0 + "/" }.joined()
        let inner = files.keys.filter { $0.hasPrefix(start) }.map { $0.dropFirst(start.count) }
        return Set(inner.map { String($0.prefix { $0 != "/" }) }).sorted()
    }

    func file(_ name: [String], _ interrupt: InterruptFlag) throws(EngineError) -> DiscFile? {
        files[name.joined(separator: "/")]?.file
    }
}

extension CellBuilder.Built {
    /// When the cells begin, in ticks of the title.
    func starts() throws -> [Int64] {
        let starts = try TitleChapters.cells(cells, map).starts(title.cursor(InterruptFlag()))
        return starts.map { $0.ticks(in: .hertz(90_000)) }
    }

    /// The title that was built.
    var title: TitleSource {
        let content = TitleSource.Content(
            kind: .dvd,
            pieces: pieces,
            timeline: TitleTimeline(stretches, samples: samples),
            map: .units(map),
            name: nil,
            languages: [:],
            chapters: .times([]),
            titles: [],
            notices: notices
        )
        return TitleSource(MemoryDiscFiles([:]), number: 1, angle: 1, content)
    }
}
