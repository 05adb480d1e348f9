// swift-tools-version: 6.2
import PackageDescription

/// The code that threads share, as a separate package, so that a build with the thread sanitizer
/// stays small: the library that runs machines and the library that runs effects, without HTTP.
/// Sources and tests are links to those of the main package.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "grove-threads",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.7.3")
    ],
    targets: [
        .target(name: "OrderedJSON", swiftSettings: settings),
        .target(name: "Transducers", dependencies: ["OrderedJSON"], swiftSettings: settings),
        .target(
            name: "TransducerRoutes", dependencies: ["OrderedJSON", "Transducers"],
            swiftSettings: settings),
        .target(name: "BuiltInMachines", dependencies: ["Transducers"], swiftSettings: settings),
        .target(name: "GroveWire", dependencies: ["OrderedJSON"], swiftSettings: settings),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(
            name: "GroveAccess", dependencies: ["COpenSSL", "GroveWire", "OrderedJSON"],
            swiftSettings: settings),
        .systemLibrary(name: "CPrefetch"),
        .target(
            name: "GroveEngine",
            dependencies: ["CPrefetch", "GroveAccess", "OrderedJSON", "GroveWire", "Transducers"],
            swiftSettings: settings),
        .target(name: "GroveNetwork", swiftSettings: settings),
        .target(
            name: "GroveEffects",
            dependencies: ["OrderedJSON", "Transducers", "GroveEngine", "GroveNetwork"],
            exclude: ["HTTP", "Secrets"], swiftSettings: settings),
        .target(
            name: "TransducerTesting",
            dependencies: [
                "OrderedJSON", "Transducers",
                .product(name: "CustomDump", package: "swift-custom-dump"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TransducersTests",
            dependencies: ["Transducers", "OrderedJSON", "BuiltInMachines", "TransducerTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "TransducerRoutesTests",
            dependencies: ["TransducerRoutes", "Transducers", "OrderedJSON"],
            swiftSettings: settings),
        .testTarget(
            name: "TransducerTestingTests", dependencies: ["TransducerTesting", "Transducers"],
            swiftSettings: settings),
        .testTarget(
            name: "GroveEffectsTests",
            dependencies: ["GroveEffects", "GroveEngine", "OrderedJSON", "Transducers"],
            exclude: [
                "HTTP", "Secrets", "Support/Calls.swift", "Support/DeafPort.swift",
                "Support/TestCertificate.swift", "Support/TestServer.swift",
                "Support/TestSocket.swift",
            ],
            swiftSettings: settings),
    ]
)
