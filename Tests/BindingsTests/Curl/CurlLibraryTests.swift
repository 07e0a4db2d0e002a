// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Bindings

@Suite("The library libcurl")
struct CurlLibraryTests {
    @Test("The environment cannot make libcurl write the keys of TLS connections to a file")
    func keepsKeys() {
        unsafe setenv("SSLKEYLOGFILE", "/nowhere/keys", 1)
        CurlLibrary.clearEnvironment()
        #expect(unsafe getenv("SSLKEYLOGFILE") == nil)
    }
}
