// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SourceWire

extension OpenRequest {
    /// Why the system finds no address of the server; `nil` if it finds one.
    ///
    /// Asked after a failed connection, because the libraries report an unknown name like an invalid argument or a lack
    /// of permission. They also know names that the system does not, such as those of NetBIOS.
    package var lookupFailure: String? {
        var found: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, nil, nil, &found)
        guard status != 0 else {
            unsafe freeaddrinfo(found)
            return nil
        }
        return unsafe "no address of \(host) is known: \(String(cString: gai_strerror(status)))"
    }
}
