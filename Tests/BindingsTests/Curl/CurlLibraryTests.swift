// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Bindings

@Suite("libcurl in this process")
struct CurlLibraryTests {
    @Test("The environment cannot make libcurl write the keys of TLS sessions to a file")
    func ignoresKeyLog() {
        unsafe setenv("SSLKEYLOGFILE", "/nowhere/keys", 1)
        CurlLibrary.unsetKeyLog()
        #expect(unsafe getenv("SSLKEYLOGFILE") == nil)
    }
}
