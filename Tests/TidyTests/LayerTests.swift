import Testing

@Suite("Layers")
struct LayerTests {
    @Test func `a target imports only what its layer may`() {
        #expect(SourceTree.swift.flatMap(LayerRules.imports).listed == "")
    }

    @Test func `a target's dependencies in Package.swift are those of its layer`() throws {
        let package = try #require(SourceTree.file(at: "Package.swift"))
        let declared = LayerRules.declaredDependencies(package)
        for (target, layer) in LayerRules.layers {
            #expect(declared[target] == layer.modules, "\(target)")
        }
    }

    @Test func `the table of targets in architecture.md is this list`() throws {
        let page = try #require(SourceTree.file(at: "docs/internals/architecture.md"))
        let rows = LayerRules.documentedLayers(page)
        #expect(rows.map(\.target) == LayerRules.layers.map(\.target))
        #expect(rows.map(\.modules) == LayerRules.layers.map(\.layer.modules))
    }

    @Test func `every folder of the sources is in the tree of architecture.md`() throws {
        let page = try #require(SourceTree.file(at: "docs/internals/architecture.md"))
        let paths = SourceTree.swift.map(\.path).filter { $0.hasPrefix("Sources/") }
        #expect(LayerRules.unmapped(paths, page: page).listed == "")
    }

    @Test func `a folder that isn't on the map is found`() {
        let page = planted("# A", "```", "Sources/", "├── A/   Known", "```", at: "docs/a.md")
        let paths = ["Sources/A/Known/X.swift", "Sources/A/New/X.swift", "Sources/A/X.swift"]
        #expect(LayerRules.unmapped(paths, page: page).count == 1)
    }

    @Test func `arrows point one way: a target depends only on those above it in the list`() {
        var above: Set<String> = []
        let targets = Set(LayerRules.layers.map(\.target))
        for (target, layer) in LayerRules.layers {
            #expect(above.isSuperset(of: targets.intersection(layer.modules)), "\(target)")
            above.insert(target)
        }
    }

    @Test(arguments: [
        "import GroveStorage", "public import Foundation", "@testable import GroveServer",
        "import struct Dispatch.DispatchTime", "@preconcurrency public import Glibc",
    ])
    func `an import past the layer is found`(line: String) {
        #expect(LayerRules.imports(planted("", line)).map(\.line) == [2])
    }

    @Test func `an import within the layer, or in a string, is fine`() {
        let file = planted("public import Transducers", "let s = \"", "import Foundation", "\"")
        #expect(LayerRules.imports(file).isEmpty)
    }

    @Test func `a target without a row is found`() {
        #expect(LayerRules.imports(planted("", at: "Sources/New/A.swift")).count == 1)
    }

    @Test func `dependencies are read from a package file`() {
        let package = planted(
            ".target(name: \"A\", swiftSettings: s),", ".target(", "    name: \"B\",",
            "    dependencies: [", "        \"A\", .product(name: \"P\", package: \"swift-p\"),",
            "        \"C\",", "    ],", "    swiftSettings: s),", at: "Package.swift")
        #expect(LayerRules.declaredDependencies(package) == ["A": [], "B": ["A", "P", "C"]])
    }
}
