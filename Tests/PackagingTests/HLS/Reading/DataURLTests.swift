// SPDX-License-Identifier: Apache-2.0

import Packaging
import Testing

@Suite struct DataURLTests {
    @Test(
        "The bytes of a data: URL are decoded from base64 or percent escapes",
        arguments: [
            ("data:text/plain;base64,AQID", [1, 2, 3]), ("DATA:;BASE64,AQI=", [1, 2]), ("data:;base64,AQI%3D", [1, 2]),
            ("data:,a%00%ff", [0x61, 0, 255]), ("data:,", []), ("data:;base64,A", nil), ("data:;base64,!!!!", nil),
            ("data:,%4", nil), ("data:,%zz", nil), ("data:text/plain", nil), ("http://host/a,b", nil),
        ] as [(String, [UInt8]?)]
    )
    func bytes(_ url: String, _ bytes: [UInt8]?) { #expect(DataURL.bytes(of: url) == bytes) }
}
