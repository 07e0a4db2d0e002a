// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let package = Package(
    name: "player",
    dependencies: [
        // A program in another repository gives the URL of this repository here.
        .package(name: "engine", path: "../..")
    ],
    targets: [
        // The first lines of a client, as docs/clients/swift.md shows them.
        .executableTarget(name: "first", dependencies: [.product(name: "EngineClient", package: "engine")]),
        .executableTarget(name: "player", dependencies: [.product(name: "EngineClient", package: "engine")]),
    ],
    swiftLanguageModes: [.v6]
)
