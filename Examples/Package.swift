// swift-tools-version: 6.2
import PackageDescription

/// As in the main package: Swift 6 language mode, and warnings are errors.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A program in a folder of its own, beside what it has to print.
func example(_ number: String, _ name: String) -> Target {
    .executableTarget(
        name: name, dependencies: [.product(name: "Transducers", package: "grove")],
        path: "\(number)-\(name)", exclude: ["expected-output.txt"], swiftSettings: settings)
}

let package = Package(
    name: "grove-examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "grove", path: "..")],
    targets: [
        example("01", "Counter"),
        example("02", "Timer"),
        example("03", "SignIn"),
        example("04", "Routes"),
        example("05", "Pipeline"),
    ]
)
