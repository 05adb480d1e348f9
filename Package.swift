// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled alike: Swift 6 language mode comes with the tools version, warnings
/// are errors, and only what a target names as its dependency may be imported (the build flag
/// `--explicit-target-dependency-import-check error` and `Tests/TidyTests` hold that line).
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A package by its repository, from this version on. A release takes exactly this version
/// (`GROVE_RELEASE=1`, see .ci/release), also of packages that only other packages need.
func dependency(_ repository: String, _ version: Version) -> Package.Dependency {
    let url = "https://github.com/" + repository
    return isRelease
        ? .package(url: url, exact: version) : .package(url: url, from: version)
}

let isRelease = Context.environment["GROVE_RELEASE"] == "1"

let package = Package(
    name: "grove",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Grove", targets: ["Grove"]),
        .library(name: "OrderedJSON", targets: ["OrderedJSON"]),
        .library(name: "CEL", targets: ["CEL"]),
        .library(name: "Transducers", targets: ["Transducers"]),
        .library(name: "Statecharts", targets: ["Statecharts"]),
        .library(name: "TransducerRoutes", targets: ["TransducerRoutes"]),
        .library(name: "TransducerTesting", targets: ["TransducerTesting"]),
        .library(name: "GroveClient", targets: ["GroveClient"]),
        // For Tests/Fuzz and Benchmarks, packages of their own because they are built in ways of
        // their own.
        .library(
            name: "GroveInternals",
            targets: [
                "GroveProtocol", "GroveWire", "GroveEngine", "OrderedJSON", "CEL",
                "Statecharts", "ChartImport", "BuiltInMachines", "GroveStorage", "Transducers",
                "GroveTestSupport", "GroveTLS", "GroveHTTP",
            ]),
        .executable(name: "grove", targets: ["GroveTool"]),
    ],
    dependencies: [
        dependency("apple/swift-argument-parser", "1.8.2"),
        dependency("apple/swift-log", "1.16.2"),
        dependency("apple/swift-metrics", "2.13.0"),
        dependency("pointfreeco/swift-custom-dump", "1.7.3"),
    ]
        // Packages that only those above need.
        + (isRelease ? [dependency("pointfreeco/xctest-dynamic-overlay", "1.13.1")] : []),
    targets: [
        // System libraries, module maps and macro shims only.
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        // No pkgConfig, which would link it: it is loaded when the first request is made
        // (docs/decisions/0033).
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),

        // Part of the C library, and missing in Swift's module of it.
        .systemLibrary(name: "CEpoll"),

        // An instruction that Swift can't say.
        .systemLibrary(name: "CPrefetch"),

        // The files of the console, taken into the binary by #embed.
        .target(name: "CConsole", exclude: ["web"]),

        // Pure: no I/O, no clock, no randomness.
        .target(name: "OrderedJSON", swiftSettings: settings),
        .target(name: "CEL", dependencies: ["OrderedJSON"], swiftSettings: settings),
        .target(name: "GroveWire", dependencies: ["OrderedJSON"], swiftSettings: settings),
        .target(
            name: "GroveAccess", dependencies: ["COpenSSL", "OrderedJSON", "GroveWire"],
            swiftSettings: settings),
        .target(name: "Transducers", dependencies: ["OrderedJSON"], swiftSettings: settings),
        .target(
            name: "TransducerRoutes", dependencies: ["OrderedJSON", "Transducers"],
            swiftSettings: settings),
        .target(
            name: "Statecharts", dependencies: ["OrderedJSON", "CEL", "Transducers"],
            swiftSettings: settings),
        .target(
            name: "ChartSimulation",
            dependencies: ["OrderedJSON", "CEL", "Transducers", "Statecharts"],
            swiftSettings: settings),
        .target(name: "ChartImport", dependencies: ["OrderedJSON"], swiftSettings: settings),
        .target(
            name: "Diagrams", dependencies: ["OrderedJSON", "Transducers"],
            swiftSettings: settings),
        .target(
            name: "GroveEngine",
            dependencies: ["CPrefetch", "OrderedJSON", "GroveWire", "GroveAccess", "Transducers"],
            swiftSettings: settings),
        .target(
            name: "GroveProtocol",
            dependencies: [
                "OrderedJSON", "GroveWire", "GroveAccess", "Transducers", "GroveEngine",
            ],
            swiftSettings: settings),

        .target(
            name: "GroveHTTP", dependencies: ["COpenSSL", "OrderedJSON", "GroveWire"],
            swiftSettings: settings),

        // Adapters to the world.
        .target(name: "GroveNetwork", swiftSettings: settings),
        .target(name: "GroveTLS", dependencies: ["COpenSSL"], swiftSettings: settings),
        .target(
            name: "GroveStorage",
            dependencies: [
                "CPrefetch", "OrderedJSON", "GroveAccess", "GroveEngine", "CSQLite", "CZlib",
            ],
            swiftSettings: settings),
        .target(
            name: "GroveEffects",
            dependencies: [
                "OrderedJSON", "GroveWire", "Transducers", "GroveEngine", "GroveNetwork", "CCurl",
            ],
            swiftSettings: settings),
        .target(
            name: "GroveServer",
            dependencies: [
                "OrderedJSON", "GroveWire", "GroveAccess", "Transducers", "GroveEngine",
                "GroveProtocol", "GroveHTTP", "GroveNetwork", "GroveTLS", "GroveStorage",
                "GroveEffects", "Statecharts", "Diagrams", "CConsole", "CZlib", "CEpoll",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            swiftSettings: settings),
        .target(
            name: "GroveClient",
            dependencies: ["OrderedJSON", "GroveWire", "GroveNetwork", "GroveTLS"],
            swiftSettings: settings),
        .target(
            name: "GroveBench",
            dependencies: ["OrderedJSON", "GroveNetwork", "GroveTLS", "GroveClient", "CEpoll"],
            swiftSettings: settings),
        .target(
            name: "GroveCommands",
            dependencies: [
                "OrderedJSON", "GroveWire", "GroveAccess", "Transducers", "GroveEngine",
                "GroveProtocol",
                "GroveNetwork", "GroveStorage", "GroveServer", "GroveClient", "GroveBench",
                "CEL", "Statecharts", "ChartImport", "ChartSimulation", "Diagrams",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .target(
            name: "Grove",
            dependencies: [
                "OrderedJSON", "Transducers", "TransducerRoutes", "GroveEngine", "GroveNetwork",
                "GroveServer", "GroveCommands",
            ],
            swiftSettings: settings),
        .target(
            name: "BuiltInMachines", dependencies: ["Transducers"], swiftSettings: settings),
        // For the tests of people who write machines; it imports Testing.
        .target(
            name: "TransducerTesting",
            dependencies: [
                "OrderedJSON", "Transducers",
                .product(name: "CustomDump", package: "swift-custom-dump"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "GroveTool", dependencies: ["BuiltInMachines", "Grove"],
            swiftSettings: settings),

        // Tests mirror the sources; the kind of a test is its target.
        .target(
            name: "GroveTestSupport",
            dependencies: [
                "GroveAccess", "OrderedJSON", "GroveWire", "GroveTLS", "Transducers", "GroveEngine",
                "GroveProtocol", "GroveHTTP",
            ],
            path: "Tests/GroveTestSupport", swiftSettings: settings),
        .testTarget(
            name: "OrderedJSONTests", dependencies: ["OrderedJSON", "GroveTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "CELTests", dependencies: ["CEL", "OrderedJSON", "GroveTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "GroveWireTests", dependencies: ["GroveWire", "OrderedJSON", "GroveTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "GroveAccessTests",
            dependencies: ["GroveAccess", "GroveWire", "OrderedJSON", "GroveTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "GroveHTTPTests",
            dependencies: ["GroveHTTP", "GroveWire", "OrderedJSON", "GroveTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "GroveNetworkTests", dependencies: ["GroveNetwork"], swiftSettings: settings),
        .testTarget(
            name: "GroveTLSTests", dependencies: ["GroveTLS", "GroveTestSupport"],
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
            name: "StatechartsTests",
            dependencies: [
                "Statecharts", "CEL", "OrderedJSON", "Transducers", "GroveEngine", "GroveProtocol",
                "GroveTestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ChartSimulationTests",
            dependencies: ["ChartSimulation", "Statecharts", "CEL", "OrderedJSON"],
            swiftSettings: settings),
        .testTarget(
            name: "ChartImportTests",
            dependencies: ["ChartImport", "Statecharts", "CEL", "OrderedJSON", "GroveTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "DiagramsTests",
            dependencies: ["Diagrams", "OrderedJSON", "Transducers", "GroveTestSupport"],
            exclude: ["Corpus"], swiftSettings: settings),
        .testTarget(
            name: "TransducerTestingTests", dependencies: ["TransducerTesting", "Transducers"],
            swiftSettings: settings),
        .testTarget(
            name: "GroveEngineTests",
            dependencies: [
                "GroveAccess", "GroveEngine", "GroveWire", "Transducers", "OrderedJSON",
                "BuiltInMachines",
                "GroveTestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "GroveStorageTests",
            dependencies: [
                "GroveAccess", "GroveStorage", "GroveEngine", "CSQLite", "CZlib", "Transducers",
                "OrderedJSON",
                "GroveTestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "GroveEffectsTests",
            dependencies: [
                "GroveEffects", "GroveEngine", "GroveNetwork", "OrderedJSON", "Transducers",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "GroveProtocolTests",
            dependencies: [
                "GroveAccess", "GroveProtocol", "GroveWire", "GroveEngine", "OrderedJSON",
                "Transducers",
                "BuiltInMachines", "GroveTestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "GroveServerTests",
            dependencies: [
                "Diagrams", "GroveAccess", "GroveServer", "GroveEffects", "GroveEngine",
                "GroveHTTP", "GroveNetwork", "GroveStorage", "GroveProtocol", "GroveTLS",
                "OrderedJSON", "BuiltInMachines", "GroveTestSupport", "Transducers",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "GroveClientTests",
            dependencies: [
                "GroveAccess", "GroveClient", "GroveServer", "GroveNetwork", "GroveTLS",
                "GroveWire",
                "OrderedJSON", "BuiltInMachines",
                "GroveTestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "GroveBenchTests",
            dependencies: ["GroveBench", "GroveClient", "GroveNetwork", "OrderedJSON"],
            swiftSettings: settings),
        // An application of the tests: a program like those of people who host machines.
        .executableTarget(
            name: "TestShop", dependencies: ["Grove"], path: "Tests/TestShop",
            swiftSettings: settings),
        .testTarget(
            name: "GroveCommandsTests",
            dependencies: [
                "GroveAccess", "GroveCommands", "GroveClient", "TestShop", "OrderedJSON",
                "GroveTestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ConversationTests",
            dependencies: [
                "GroveAccess", "GroveEngine", "GroveHTTP", "GroveNetwork", "GroveTLS",
                "GroveProtocol", "GroveServer", "GroveStorage", "GroveWire", "OrderedJSON",
                "Transducers", "BuiltInMachines",
                "GroveTestSupport",
            ],
            exclude: ["Data", "Golden", "GoldenHTTP"], swiftSettings: settings),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "GroveAccess", "GroveEngine", "GroveProtocol", "GroveServer", "GroveStorage",
                "GroveWire", "OrderedJSON", "Transducers", "BuiltInMachines", "GroveTestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CrashTests", dependencies: ["OrderedJSON", "GroveTestSupport", "TestShop"],
            swiftSettings: settings),
        .testTarget(
            name: "ConsoleTests", dependencies: ["GroveTestSupport"],
            exclude: [
                "accounts.mjs", "acts.mjs", "assets.test.mjs", "console.test.mjs", "looks.mjs",
                "pages.mjs", "stage.mjs", "trouble.mjs", "webdriver.mjs",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "OrderedJSON", "Transducers", "Grove", "GroveClient", "BuiltInMachines",
                "GroveTestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TidyTests", dependencies: ["OrderedJSON", "GroveWire"],
            swiftSettings: settings),
    ]
)
