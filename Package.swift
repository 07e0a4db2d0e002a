// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

// Test targets are not optimised even in the optimised build (`scripts/build checked`): only the code that they test has
// to be. Their modules are not compiled a second time to be imported earlier: nothing waits for them.
let testSettings: [SwiftSetting] =
    swiftSettings + [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"], .when(configuration: .release))]

let nio = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "engine",
    products: [
        .executable(name: "engined", targets: ["engined"]),
        .executable(name: "enginectl", targets: ["enginectl"]),
        .executable(name: "engined-mpris", targets: ["engined-mpris"]),
        .executable(name: "engined-subtitles", targets: ["engined-subtitles"]),
        .executable(name: "engined-source-smb", targets: ["engined-source-smb"]),
        .executable(name: "engined-source-nfs", targets: ["engined-source-nfs"]),
        .library(name: "EngineClient", targets: ["EngineClient"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // C libraries, and the parts of C that Swift cannot import directly.
        .target(name: "CSystemShims"),
        .target(name: "CTerminal"),
        .target(name: "CPixels"),
        .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
        .systemLibrary(
            name: "CFFmpeg",
            pkgConfig: "libavfilter libavformat libavcodec libswscale libswresample libavutil",
            providers: [
                .apt([
                    "libavfilter-dev", "libavformat-dev", "libavcodec-dev", "libswscale-dev", "libswresample-dev",
                    "libavutil-dev",
                ])
            ]
        ),
        .systemLibrary(name: "CProtobufC", pkgConfig: "libprotobuf-c", providers: [.apt(["libprotobuf-c-dev"])]),
        .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CUchardet", pkgConfig: "uchardet", providers: [.apt(["libuchardet-dev"])]),
        .systemLibrary(name: "CXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CAss", pkgConfig: "libass", providers: [.apt(["libass-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        // Without pkg-config: libpulse.pc names flags that the package manager refuses with a warning.
        .systemLibrary(name: "CPulse", providers: [.apt(["libpulse-dev"])]),
        .systemLibrary(name: "CAlsa", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "CNFS", pkgConfig: "libnfs", providers: [.apt(["libnfs-dev"])]),
        .systemLibrary(name: "CSMBClient", pkgConfig: "smbclient", providers: [.apt(["libsmbclient-dev"])]),
        .target(name: "CEngineProto", dependencies: ["CProtobufC"], cSettings: [.headerSearchPath(".")]),

        // The engine, from values at the bottom to processes at the top.
        .target(name: "EngineModel", swiftSettings: swiftSettings),
        .target(name: "EngineRuntime", dependencies: ["CSystemShims"], swiftSettings: swiftSettings),
        // The JSON that clients print and that is served over HTTP, in one form.
        .target(name: "EngineJSON", dependencies: ["EngineModel"], swiftSettings: swiftSettings),
        .target(name: "Packaging", dependencies: ["EngineModel"], swiftSettings: swiftSettings),
        // The source protocol, and the code that programs which speak it share.
        .target(name: "SourceWire", swiftSettings: swiftSettings),
        .target(name: "SourceHelper", dependencies: ["SourceWire", "CSystemShims"], swiftSettings: swiftSettings),
        .target(
            name: "Bindings",
            dependencies: [
                "EngineModel", "EngineRuntime", "Digests", "CFFmpeg", "CCurl", "CUchardet", "CXML2", "CSQLite",
                "CCrypto",
                "CJPEG", "CPixels", "CPulse", "CAlsa", "CSystemShims",
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "Transfers",
            dependencies: ["EngineModel", "EngineRuntime", "Digests", "Bindings", "SourceWire"],
            swiftSettings: swiftSettings
        ),
        // The messages between the engine and the program that draws subtitles.
        .target(name: "DrawingWire", dependencies: ["EngineModel", "Packaging"], swiftSettings: swiftSettings),
        // The actors. The wings stand on Reading and do not see each other; Sessions sees all of them.
        .target(
            name: "Reading",
            dependencies: ["EngineModel", "EngineRuntime", "Packaging", "Bindings", "Transfers"],
            path: "Sources/EngineActors/Reading",
            swiftSettings: swiftSettings
        ),
        .target(
            name: "Segments",
            dependencies: ["EngineModel", "EngineRuntime", "Packaging", "Bindings", "Reading"],
            path: "Sources/EngineActors/Segments",
            swiftSettings: swiftSettings
        ),
        .target(
            name: "Decoding",
            dependencies: ["EngineModel", "EngineRuntime", "Packaging", "Bindings", "Reading", logging],
            path: "Sources/EngineActors/Decoding",
            swiftSettings: swiftSettings
        ),
        .target(
            name: "Subtitles",
            dependencies: ["EngineModel", "EngineRuntime", "Packaging", "Bindings", "DrawingWire", "Reading"],
            path: "Sources/EngineActors/Subtitles",
            swiftSettings: swiftSettings
        ),
        .target(
            name: "Stills",
            dependencies: ["EngineModel", "EngineRuntime", "Packaging", "Bindings", "Reading"],
            path: "Sources/EngineActors/Stills",
            swiftSettings: swiftSettings
        ),
        .target(
            name: "Sessions",
            dependencies: [
                "EngineModel", "EngineRuntime", "Packaging", "Bindings", "Transfers",
                "Reading", "Segments", "Decoding", "Subtitles", "Stills", logging,
            ],
            path: "Sources/EngineActors/Sessions",
            swiftSettings: swiftSettings
        ),
        // The code that the HTTP server and the control socket share.
        .target(name: "Listening", dependencies: [nio, nioCore], swiftSettings: swiftSettings),
        .target(
            name: "Loopback",
            dependencies: ["EngineModel", "EngineRuntime", "Listening", nio, nioCore, nioHTTP1, logging],
            swiftSettings: swiftSettings
        ),
        // The control socket. Clients link the wire, and not the server.
        .target(
            name: "Wire",
            dependencies: [
                "EngineModel", "EngineRuntime", "CEngineProto", "CProtobufC", "CNghttp2", "CSystemShims", nioCore,
            ],
            path: "Sources/IPC/Wire",
            swiftSettings: swiftSettings
        ),
        .target(
            name: "Server",
            dependencies: [
                "EngineModel", "EngineRuntime", "Listening", "Wire", "CSystemShims", nio, nioCore, logging,
            ],
            path: "Sources/IPC/Server",
            swiftSettings: swiftSettings
        ),
        // The rules for fetched playlists and segments; the engine does not link it.
        .target(name: "Validation", dependencies: ["Packaging"], swiftSettings: swiftSettings),
        .target(name: "Digests", dependencies: ["CCrypto"], swiftSettings: swiftSettings),
        .target(
            name: "EngineClient",
            dependencies: ["EngineModel", "EngineRuntime", "Wire", nio, nioCore],
            swiftSettings: swiftSettings
        ),
        // Control over HTTP, and the page that uses it.
        .target(name: "WebPage", resources: [.embedInCode("Page")], swiftSettings: swiftSettings),
        .target(
            name: "WebControl",
            dependencies: [
                "EngineModel", "EngineRuntime", "EngineJSON", "Wire", "EngineClient", "Loopback", "WebPage",
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "engined",
            dependencies: [
                "EngineModel", "Sessions", "Segments", "Loopback", "Wire", "Server", "EngineRuntime", "WebControl",
                "CSystemShims",
                arguments, logging,
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "enginectl",
            dependencies: [
                "EngineModel", "EngineRuntime", "EngineJSON", "EngineClient", "Packaging", "Validation", "Digests",
                "CSystemShims", "CTerminal",
                arguments,
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "engined-mpris",
            dependencies: ["EngineModel", "EngineRuntime", "EngineClient", "CSystemd", arguments, logging],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "engined-subtitles",
            dependencies: ["DrawingWire", "EngineRuntime", "Packaging", "CAss", "CSystemShims"],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "engined-source-smb",
            dependencies: ["SourceHelper", "SourceWire", "CSMBClient"],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "engined-source-nfs",
            dependencies: ["SourceHelper", "SourceWire", "CNFS"],
            swiftSettings: swiftSettings
        ),

        // Tests, one target a module.
        .target(
            name: "EngineTestKit",
            dependencies: ["EngineModel", "EngineRuntime", "Packaging", "Bindings", "Reading"],
            path: "Tests/EngineTestKit",
            swiftSettings: testSettings
        ),
        .target(
            name: "IPCTestKit",
            dependencies: ["EngineModel", "EngineRuntime", "Wire", "Server", "EngineClient", logging],
            path: "Tests/IPCTestKit",
            swiftSettings: testSettings
        ),
        .testTarget(name: "EngineModelTests", dependencies: ["EngineModel"], swiftSettings: testSettings),
        .testTarget(
            name: "EngineRuntimeTests",
            dependencies: ["EngineRuntime", "EngineTestKit"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "PackagingTests",
            dependencies: ["Packaging", "Validation", "EngineModel", "EngineRuntime", "EngineTestKit"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "ValidationTests",
            dependencies: ["Validation", "Packaging"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "BindingsTests",
            dependencies: ["Bindings", "Packaging", "EngineModel", "EngineRuntime", "EngineTestKit"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "TransfersTests",
            dependencies: [
                "Transfers", "Bindings", "SourceWire", "EngineModel", "EngineRuntime", "EngineTestKit", nio, nioCore,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "DrawingWireTests",
            dependencies: ["DrawingWire", "Packaging"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "EnginedSubtitlesTests",
            dependencies: ["engined-subtitles", "DrawingWire", "Packaging"],
            swiftSettings: testSettings
        ),
        .testTarget(name: "DigestsTests", dependencies: ["Digests"], swiftSettings: testSettings),
        .testTarget(
            name: "ReadingTests",
            dependencies: [
                "Reading",
                "Packaging", "Bindings", "EngineModel", "EngineRuntime", "EngineTestKit",
            ],
            path: "Tests/EngineActorsTests/Reading",
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "SegmentsTests",
            dependencies: [
                "Segments", "Reading",
                "Packaging", "Bindings", "EngineModel", "EngineRuntime", "EngineTestKit",
            ],
            path: "Tests/EngineActorsTests/Segments",
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "DecodingTests",
            dependencies: [
                "Decoding", "Reading",
                "Packaging", "Bindings", "EngineModel", "EngineRuntime", "Digests", "EngineTestKit",
            ],
            path: "Tests/EngineActorsTests/Decoding",
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "SubtitlesTests",
            dependencies: [
                "Subtitles", "Reading",
                "Packaging", "Bindings", "EngineModel", "EngineRuntime", "EngineTestKit",
            ],
            path: "Tests/EngineActorsTests/Subtitles",
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "StillsTests",
            dependencies: [
                "Stills", "Reading",
                "Packaging", "Bindings", "EngineModel", "EngineRuntime", "EngineTestKit",
            ],
            path: "Tests/EngineActorsTests/Stills",
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "SessionsTests",
            dependencies: [
                "Sessions", "Reading", "Segments", "Decoding", "Subtitles", "Stills", "Transfers",
                "Packaging", "Bindings", "EngineModel", "EngineRuntime", "EngineTestKit", logging,
            ],
            path: "Tests/EngineActorsTests/Sessions",
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "LoopbackTests",
            dependencies: [
                "Loopback", "EngineModel", "EngineRuntime", "EngineTestKit", nio, nioCore, nioEmbedded, logging,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "IPCTests",
            dependencies: [
                "Wire", "Server", "EngineClient", "EngineModel", "EngineRuntime", "EngineTestKit", "IPCTestKit",
                nio, nioCore, logging,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "EngineClientTests",
            dependencies: ["EngineClient", "EngineModel", "EngineRuntime", "Wire", "Server", "IPCTestKit"],
            swiftSettings: testSettings
        ),
        .testTarget(name: "EngineJSONTests", dependencies: ["EngineJSON"], swiftSettings: testSettings),
        .testTarget(
            name: "WebControlTests",
            dependencies: [
                "WebControl", "EngineClient", "EngineJSON", "EngineModel", "EngineRuntime", "Loopback", "Wire",
                "IPCTestKit",
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "EnginedTests",
            dependencies: ["engined", "EngineRuntime", logging],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "EnginectlTests",
            dependencies: ["enginectl", "EngineClient", "EngineJSON", "Packaging", "EngineModel", "EngineTestKit"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "EnginedMprisTests",
            dependencies: ["engined-mpris", "EngineClient", "EngineModel"],
            swiftSettings: testSettings
        ),
    ],
    swiftLanguageModes: [.v6]
)

// The fuzzer is another kind of program: it has no `main`, and everything it links is built for it (scripts/fuzz).
// Builds without the fuzzer run its seeds as a test.
let fuzzed: [Target.Dependency] = [
    "Reading", "Segments", "Decoding", "Subtitles", "Stills", "Sessions", "Transfers",
    "EngineClient", "Bindings", "Packaging", "Validation", "Wire", "DrawingWire", "Server", "Loopback",
    "EngineRuntime", "EngineModel",
    nioCore,
]
if Context.environment["ENGINE_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "Fuzz",
            dependencies: fuzzed,
            path: "Fuzz",
            exclude: [
                "Seeds", "Tests", "make-seeds.py", "drawing_seeds.py", "movie_seeds.py", "playlist_seeds.py",
                "text_seeds.py",
            ],
            sources: ["Harness", "Program"],
            swiftSettings: swiftSettings
        )
    )
} else {
    package.targets.append(
        .testTarget(
            name: "FuzzTests",
            dependencies: fuzzed + ["EngineTestKit"],
            path: "Fuzz",
            exclude: [
                "Seeds", "Program", "make-seeds.py", "drawing_seeds.py", "movie_seeds.py", "playlist_seeds.py",
                "text_seeds.py",
            ],
            sources: ["Harness", "Tests"],
            swiftSettings: testSettings
        )
    )
}

// The program that measures the engine's decoding, for the comparison with its peers (scripts/bench).
if Context.environment["ENGINE_BENCH"] != nil {
    package.targets.append(
        .executableTarget(
            name: "decode-bench",
            dependencies: ["Decoding", "Reading", "Bindings", "EngineModel"],
            path: "Benchmarks/Decode",
            swiftSettings: swiftSettings
        )
    )
}
