/// Which Debian packages are installed where.
enum PackageRules {
    /// The packages of a bash array `name=(…)`.
    static func bashArray(_ name: String, in script: SourceFile) -> [String] {
        for line in script.lines where line.hasPrefix("\(name)=(") {
            let list = line.dropFirst(name.utf8.count + 2).prefix { $0 != ")" }
            return list.split(separator: " ").map(String.init)
        }
        return []
    }

    /// The packages that each stage of a Dockerfile installs, stage by stage.
    static func dockerStages(_ dockerfile: SourceFile) -> [[String]] {
        var stages: [[String]] = []
        var isInstalling = false
        for line in dockerfile.lines where !line.hasPrefix("#") {
            if line.hasPrefix("FROM ") { stages.append([]) }
            var words = line.split(separator: " ")[...]
            if let install = words.firstIndex(of: "install"),
                install > words.startIndex, words[install - 1] == "apt-get"
            {
                isInstalling = true
                words = words[(install + 1)...]
            }
            guard isInstalling, !stages.isEmpty else { continue }
            for word in words {
                if word == "&&" || word == ";" {
                    isInstalling = false
                    break
                }
                if word != "\\", !word.hasPrefix("-") {
                    stages[stages.count - 1].append(String(word))
                }
            }
            if words.last != "\\" { isInstalling = false }
        }
        return stages
    }

    /// The package with the library itself that belongs to a package with its headers.
    static let libraryOfHeaders = [
        "libcurl4-openssl-dev": "libcurl4", "libsqlite3-dev": "libsqlite3-0",
        "libssl-dev": "libssl3",
        "zlib1g-dev": "zlib1g",
    ]

    /// Packages for the running server only: the certificates for https.
    static let atRunTime = ["ca-certificates"]

    static func compare(script: SourceFile, dockerfile: SourceFile) -> [Problem] {
        let build = bashArray("build_packages", in: script)
        let stages = dockerStages(dockerfile)
        guard !build.isEmpty, stages.count == 2 else {
            return [
                Problem(path: dockerfile.path, line: 0, message: "not two stages, or no list")
            ]
        }
        var problems: [Problem] = []
        if Set(stages[0]) != Set(build) {
            let message = "builds with \(stages[0]), \(script.path) with \(build)"
            problems.append(Problem(path: dockerfile.path, line: 0, message: message))
        }
        let libraries = atRunTime + build.map { libraryOfHeaders[$0] ?? $0 }
        if Set(stages[1]) != Set(libraries) {
            let message = "runs with \(stages[1]), but was built for \(libraries)"
            problems.append(Problem(path: dockerfile.path, line: 0, message: message))
        }
        return problems
    }
}
