// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import EngineModel

extension ConnectionSettings {
    /// Sets these options on an easy handle (`curl_easy_setopt`).
    ///
    /// - Parameter proxy: the proxy of the request, as `HTTPProxy.resolved` returns it.
    func apply(to easy: UnsafeMutableRawPointer, through proxy: HTTPProxy) {
        switch proxy {
        // An empty string also keeps libcurl from reading the proxy variables of the environment.
        case .none, .environment: unsafe ccurl_set_text(easy, CURLOPT_PROXY, "")
        case .url(let url):
            unsafe ccurl_set_text(easy, CURLOPT_PROXY, url)
            unsafe ccurl_set_text(easy, CURLOPT_NOPROXY, "")
            unsafe ccurl_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        }
        if let authorities { unsafe ccurl_set_text(easy, CURLOPT_CAINFO, Self.path(authorities)) }
        if let own = clientCertificate {
            unsafe ccurl_set_text(easy, CURLOPT_SSLCERT, Self.path(own.certificate))
            unsafe ccurl_set_text(easy, CURLOPT_SSLKEY, Self.path(own.key))
            if let passphrase = own.passphrase { unsafe ccurl_set_text(easy, CURLOPT_KEYPASSWD, passphrase) }
        }
        unsafe ccurl_set_text(easy, CURLOPT_USERAGENT, userAgent)
        let limit = max(1, Int(connectTimeout / .milliseconds(1)))
        unsafe ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, limit)
    }

    /// The bytes of a path, which may be given as a `file:` URL.
    private static func path(_ text: String) -> [CChar] { (FilePath(text: text) ?? FilePath(text)).cString }
}
