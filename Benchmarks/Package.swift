// swift-tools-version: 6.2
import PackageDescription

/// Benchmarks are a package of their own, so that nobody who builds Grove has to fetch and build
/// what measures it.
let package = Package(
    name: "grove-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "grove", path: ".."),
        .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "OrderedJSONBenchmarks",
            dependencies: [
                .product(name: "OrderedJSON", package: "grove"),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/OrderedJSONBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
        .executableTarget(
            name: "CELBenchmarks",
            dependencies: [
                .product(name: "CEL", package: "grove"),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/CELBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
        .executableTarget(
            name: "TransducerBenchmarks",
            dependencies: [
                .product(name: "Transducers", package: "grove"),
                .product(name: "TransducerRoutes", package: "grove"),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/TransducerBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
        // Connections, engine and store without sockets: what some of the benchmarks measure with.
        .target(
            name: "EventPath",
            dependencies: [
                .product(name: "GroveInternals", package: "grove"),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/EventPath"),
        .executableTarget(
            name: "EventBenchmarks",
            dependencies: [
                "EventPath",
                .product(name: "GroveInternals", package: "grove"),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/EventBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
        .executableTarget(
            name: "ChartBenchmarks",
            dependencies: [
                "EventPath",
                .product(name: "GroveInternals", package: "grove"),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/ChartBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    ]
)
