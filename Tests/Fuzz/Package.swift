// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
]

let grove: Target.Dependency = .product(name: "GroveInternals", package: "grove")

var targets: [Target] = [
    .target(name: "FuzzTargets", dependencies: [grove], swiftSettings: settings),
    .executableTarget(name: "fuzz", dependencies: ["FuzzTargets"], swiftSettings: settings),
]

// Links only with the fuzzer's runtime. The page beside this file has the command.
if Context.environment["GUIDED"] == "1" {
    targets.append(
        .executableTarget(
            name: "guided", dependencies: ["FuzzTargets"], swiftSettings: settings))
}

let package = Package(
    name: "grove-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "grove", path: "../..")],
    targets: targets
)
