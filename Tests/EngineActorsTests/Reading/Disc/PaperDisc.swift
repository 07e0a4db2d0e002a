// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import EngineTestKit
@testable import Reading

/// Bytes in memory as a source, which knows what was read of them.
final class PaperBytes: ByteSource {
    private let store: ScriptedByteStore
    let path = "bytes"
    let identity = SourceIdentity.list(name: "bytes", digest: "")
    let isRemote: Bool

    /// - Parameter isRemote: whether it says that it is on a server.
    init(_ bytes: [UInt8], isRemote: Bool = false) {
        store = ScriptedByteStore(bytes)
        self.isRemote = isRemote
    }

    var byteCount: Int64 { store.byteCount }

    var bytesRead: UInt64 { 0 }

    func cursor(_ interrupt: InterruptFlag) -> any ByteCursor { store }

    func verify() throws(EngineError) {}

    var file: DiscFile { DiscFile(pieces: [.init(source: self, range: 0..<byteCount)]) }

    /// What was read, in order.
    var requests: [Range<Int64>] { store.requests.withLock { $0 } }
}

/// The files of a disc in memory.
struct PaperFiles: DiscFiles {
    let path = "/disc"
    let label: String
    let fileName: FilePath? = nil
    let notices: [Notice] = []
    private let files: [String: PaperBytes]

    /// - Parameter files: by their paths.
    init(_ files: [String: [UInt8]], label: String = "") {
        self.files = files.mapValues { PaperBytes($0) }
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
