// SPDX-License-Identifier: Apache-2.0

/// A file of the page.
package struct PageFile: Sendable {
    package let contentType: String
    package let bytes: [UInt8]

    package init(contentType: String, bytes: [UInt8]) {
        self.contentType = contentType
        self.bytes = bytes
    }
}

/// The page that plays and controls sessions in a browser: modules and styles, built into the program.
package enum WebPage {
    /// - Parameter name: the path below the page's address; empty for the page itself.
    package static func file(named name: String) -> PageFile? {
        switch name {
        case "": PageFile(contentType: "text/html; charset=utf-8", bytes: PackageResources.index_html)
        case "style.css":
            PageFile(contentType: "text/css; charset=utf-8", bytes: Minifier.styles(PackageResources.style_css))
        case "icon.svg": PageFile(contentType: "image/svg+xml", bytes: PackageResources.icon_svg)
        case "strings.js": script(Minifier.texts(PackageResources.strings_js))
        default: module(named: name).map { script(Minifier.module($0)) }
        }
    }

    private static func script(_ bytes: [UInt8]) -> PageFile {
        PageFile(contentType: "text/javascript; charset=utf-8", bytes: bytes)
    }

    private static func module(named name: String) -> [UInt8]? {
        switch name {
        case "api.js": PackageResources.api_js
        case "app.js": PackageResources.app_js
        case "dom.js": PackageResources.dom_js
        case "drawn.js": PackageResources.drawn_js
        case "feeder.js": PackageResources.feeder_js
        case "guide.js": PackageResources.guide_js
        case "keys.js": PackageResources.keys_js
        case "lane.js": PackageResources.lane_js
        case "menu.js": PackageResources.menu_js
        case "menus.js": PackageResources.menus_js
        case "playlist.js": PackageResources.playlist_js
        case "profile.js": PackageResources.profile_js
        case "renderer.js": PackageResources.renderer_js
        case "sessions.js": PackageResources.sessions_js
        case "sheets.js": PackageResources.sheets_js
        case "statistics.js": PackageResources.statistics_js
        case "storyboard.js": PackageResources.storyboard_js
        case "subtitles.js": PackageResources.subtitles_js
        case "time.js": PackageResources.time_js
        case "timeline.js": PackageResources.timeline_js
        case "vtt.js": PackageResources.vtt_js
        default: nil
        }
    }
}
