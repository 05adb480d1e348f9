// swift-tools-version: 6.2
import PackageDescription

/// As in the main package: Swift 6 language mode, and warnings are errors.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A program in its own folder, next to its expected output.
func example(
    _ number: String, _ name: String, products: [String] = ["Transducers"],
    exclude: [String] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: products.map { .product(name: $0, package: "grove") },
        path: "\(number)-\(name)", exclude: ["expected-output.txt"] + exclude,
        swiftSettings: settings)
}

/// The products for programs that host machines and call them.
let hosting = ["Grove", "GroveClient"]

let package = Package(
    name: "grove-examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "grove", path: "..")],
    targets: [
        example("01", "Counter"),
        example("02", "Timer"),
        example("03", "SignIn"),
        example("04", "Routes", products: ["TransducerRoutes"]),
        example("05", "Pipeline"),
        example("06", "Server", products: hosting),
        example("07", "Effects", products: hosting),
        example("08", "Application", products: hosting, exclude: ["run"]),
    ]
)
