// SPDX-License-Identifier: Apache-2.0

/// The names of key systems.
enum KeySystem {
    private static let names = [
        "edef8ba9-79d6-4ace-a3c8-27dcd51d21ed": "Widevine",
        "9a04f079-9840-4286-ab92-e65be0885f95": "PlayReady",
        "94ce86fb-07ff-4f43-adb8-93d2fa968ca2": "FairPlay",
        "1077efec-c0b2-4d02-ace3-3c1e52e2fb4b": "ClearKey",
        "e2719d58-a985-b3c9-781a-b030af78d30e": "ClearKey",
        "5e629af5-38da-4063-8977-97ffbd9902d4": "Marlin",
        "f239e769-efa3-4850-9c16-a903c6932efb": "Adobe Primetime",
        "adb41c24-2dbf-4a6d-958b-4457c0d27b95": "Nagra",
    ]
    private static let formats = [
        "com.apple.streamingkeydelivery": "FairPlay",
        "com.microsoft.playready": "PlayReady",
        "com.widevine": "Widevine",
        "com.widevine.alpha": "Widevine",
        "org.w3.clearkey": "ClearKey",
    ]

    /// - Parameter uuid: in lower case.
    static func name(uuid: String) -> String? { names[uuid] }

    /// - Parameter keyFormat: KEYFORMAT of HLS, in lower case. An unknown format is returned unchanged.
    static func name(keyFormat: String) -> String {
        let prefix = "urn:uuid:"
        if keyFormat.hasPrefix(prefix) {
            let uuid = String(keyFormat.dropFirst(prefix.count))
            return names[uuid] ?? uuid
        }
        return formats[keyFormat] ?? keyFormat
    }
}
