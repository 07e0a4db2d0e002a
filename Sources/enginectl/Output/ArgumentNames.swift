// SPDX-License-Identifier: Apache-2.0

internal import EngineClient
internal import EngineModel

/// Names the arguments of a command in the engine's errors. The engine's message about a field of a request begins with
/// the name of the field, which users of a command do not know.
struct ArgumentNames: ExpressibleByDictionaryLiteral {
    /// What to call each field: the argument as it was typed, without secrets, or a description of it.
    private let arguments: [String: String]

    init(dictionaryLiteral elements: (String, String)...) {
        arguments = Dictionary(elements) { first, _ in first }
    }

    /// The message of an error, beginning with the argument in place of the field.
    func message(of error: EngineClientError) -> String {
        let start = "\(error.field) "
        guard !error.field.isEmpty, error.message.hasPrefix(start), let name = argument(for: error.field) else {
            return error.message
        }
        return "\(name) \(error.message.dropFirst(start.count))"
    }

    private func argument(for field: String) -> String? {
        if let argument = arguments[field] ?? Self.options[field] { return argument }
        // `filter.options[sigma]`
        guard field.hasPrefix("filter.options["), field.hasSuffix("]") else { return nil }
        return String(field.dropFirst("filter.options[".count).dropLast())
    }

    /// The arguments whose fields are the same in every command.
    private static let options = [
        "adjustments.brightness": "--brightness",
        "adjustments.contrast": "--contrast",
        "adjustments.gamma": "--gamma",
        "adjustments.saturation": "--saturation",
        "cell_width": "--cell-width",
        "cues.range.end_us": "--to",
        "filter.name": "filter",
        "filter.options": "the list of options",
        "filter_id": "filter",
        "http_connection.basic.password": "the password in --user",
        "http_connection.basic.user": "the name in --user",
        "http_connection.bearer_token": "--bearer-token",
        "http_connection.ca_file": "--ca-file",
        "http_connection.client_certificate": "--client-certificate",
        "http_connection.client_key": "--client-key",
        "http_connection.client_key_passphrase": "--client-key-passphrase",
        "http_connection.cmcd.content_id": "--cmcd-content",
        "http_connection.cmcd.session_id": "--cmcd-session",
        "http_connection.connect_timeout_us": "--connect-timeout",
        "http_connection.proxy": "--proxy",
        "http_connection.stall_timeout_us": "--stall-timeout",
        "http_connection.user_agent": "--user-agent",
        "http_headers": "--header",
        "http_headers.name": "the name in --header",
        "options.audio.languages": "--audio",
        "options.dvr_bytes": "--dvr-bytes",
        "options.dvr_window_us": "--dvr",
        "options.ladder": "--ladder",
        "options.profile": "--profile",
        "options.program.name": "--program",
        "options.program.number": "--program",
        "options.rate_range": "--rate-range",
        "options.segment_target_us": "--segment",
        "options.sound.dialogue_db": "--dialogue",
        "options.sound.loudness_lufs": "--loudness",
        "options.subtitles.languages": "--subtitles",
        "options.subtitles.tracks": "--subtitles",
        "options.timeouts.timeout_us": "--timeout",
        "options.title": "--title",
        "options.angle": "--angle",
        "options.variants.max_bandwidth": "--max-bandwidth",
        "options.variants.name": "--variant",
        "overlay.name": "the name",
        "overlay.rectangle.height": "the height in --at",
        "overlay.rectangle.width": "the width in --at",
        "overlay.rectangle.x": "the left edge in --at",
        "overlay.rectangle.y": "the top edge in --at",
        "overlay.z": "--z",
        "overlay.ass_height": "the height in --ass-size",
        "overlay.ass_width": "the width in --ass-size",
        "program.name": "--program",
        "program.number": "--program",
        "range.end_us": "--to",
        "request_id": "--request-id",
        "start_position_us": "--start",
        "style.quality": "--quality",
        "style.range": "--hdr keep",
        "subtitle_files": "--subtitles",
    ]
}
