// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Transfers

extension HTTPSourceTests {
    @Test("Resources that differ only in their queries have different keys, which a new signature does not change")
    func keysWithoutQueries() async throws {
        let origin = try await ScriptedOrigin { [film] in
            $0.answer(of: $0.target.contains("id=1") ? film : film.map { ~$0 })
        }
        var keys: [String?] = []
        for query in ["id=1&sign=a", "id=1&sign=b", "id=2"] {
            let source = try source(origin, path: "film.mkv?\(query)")
            #expect(source.versionKey == nil, "the first bytes are not known yet")
            _ = try await all(source).get()
            keys.append(source.versionKey)
        }
        #expect(keys[0] != nil && keys[0] == keys[1])
        #expect(keys[2] != nil && keys[2] != keys[0])
        #expect(keys.allSatisfy { $0?.contains("id=") == false })
    }
}
