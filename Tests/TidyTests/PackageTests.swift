import Testing

@Suite("Packages")
struct PackageTests {
    @Test func `the Dockerfile installs what CI installs`() throws {
        let script = try #require(SourceTree.file(at: ".ci/run"))
        let dockerfile = try #require(SourceTree.file(at: "Dockerfile"))
        #expect(PackageRules.compare(script: script, dockerfile: dockerfile).listed == "")
    }

    @Test func `the README's first command installs the same packages`() throws {
        let script = try #require(SourceTree.file(at: ".ci/run"))
        let readme = try #require(SourceTree.file(at: "README.md"))
        for package in PackageRules.bashArray("build_packages", in: script) {
            #expect(readme.text.contains(package), "\(package)")
        }
    }

    @Test func `a package that only one of them has is found`() {
        let script = planted("build_packages=(a-dev b-dev)", at: ".ci/run")
        func dockerfile(_ build: String, _ run: String) -> SourceFile {
            planted(
                "FROM x AS build", "RUN apt-get update -qq \\",
                "    && apt-get install -y \(build) \\", "    && rm -rf /x", "FROM y",
                "RUN apt-get update && apt-get install -y --no-install-recommends \\",
                "    \(run)", "CMD z", at: "Dockerfile")
        }
        func problems(_ build: String, _ run: String) -> Int {
            PackageRules.compare(script: script, dockerfile: dockerfile(build, run)).count
        }
        #expect(problems("a-dev b-dev", "ca-certificates a-dev b-dev") == 0)
        #expect(problems("a-dev", "ca-certificates a-dev b-dev") == 1)
        #expect(problems("a-dev b-dev", "a-dev b-dev") == 1)
        #expect(problems("a-dev b-dev c-dev", "a-dev") == 2)
    }
}
