import Foundation
import FuzzTargets

/// `fuzz smoke` runs every target for a bounded number of inputs; `fuzz TARGET [SEED]` runs until a
/// failure; `fuzz TARGET hex …` runs one input.
@main
struct Fuzz {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "smoke": exit(smoke())
        case "count": exit(count(arguments))
        case let name?:
            guard let target = FuzzTarget.named(name) else { fallthrough }
            if arguments.count == 3, arguments[1] == "hex" {
                exit(tryInput(target, bytes(hex: arguments[2])))
            }
            exit(search(target, seed: arguments.dropFirst().first.flatMap(UInt64.init) ?? 1))
        default:
            let names = FuzzTarget.all.map(\.name).joined(separator: " ")
            say("usage: fuzz smoke | fuzz TARGET [SEED] | fuzz TARGET hex HEX")
            say("targets: \(names)")
            exit(64)
        }
    }

    // MARK: Smoke

    /// Runs every target in a separate process, to find the one that ends its process.
    private static func smoke() -> Int32 {
        var isClean = true
        for target in FuzzTarget.all {
            let isCanary = target.name == "canary"
            let status = runCounted(target, trace: nil)
            switch (status, isCanary) {
            case (0, false): say("\(target.name): \(target.smokeInputs) inputs, nothing found")
            case (1, true): say("canary: the planted bug was found")
            case (0, true):
                say("canary: the planted bug was NOT found: this runner finds nothing")
                isClean = false
            case (1, false): isClean = false
            default:
                isClean = false
                reportCrash(target, status)
            }
        }
        return isClean ? 0 : 1
    }

    private static func reportCrash(_ target: FuzzTarget, _ status: Int32) {
        let trace = FileManager.default.temporaryDirectory
            .appendingPathComponent("fuzz-\(ProcessInfo.processInfo.processIdentifier)")
        defer {
            // If removal fails, the system cleans up its temporary files later.
            try? FileManager.default.removeItem(at: trace)
        }
        _ = runCounted(target, trace: trace.path)
        let input = (try? String(contentsOf: trace, encoding: .utf8)) ?? "unknown"
        say("\(target.name): the process ended with \(status)")
        say("reproduce: fuzz \(target.name) hex \(input)")
    }

    private static func runCounted(_ target: FuzzTarget, trace: String?) -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["count", target.name] + (trace.map { [$0] } ?? [])
        do {
            try process.run()
        } catch {
            say("\(target.name): \(error)")
            return 70
        }
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Runs `fuzz count TARGET [TRACE]`, the bounded run. The file `TRACE` contains the current
    /// input.
    private static func count(_ arguments: [String]) -> Int32 {
        guard arguments.count >= 2, let target = FuzzTarget.named(arguments[1]) else { return 64 }
        let corpus = corpus(of: target)
        var mutator = Mutator(target, corpus: corpus, seed: 1)
        let made = target.smokeInputs - corpus.count
        for input in corpus + (0..<max(0, made)).lazy.map({ _ in mutator.next() }) {
            if arguments.count == 3 {
                // Without a trace the crash is still reported.
                try? hex(input).write(toFile: arguments[2], atomically: false, encoding: .utf8)
            }
            let status = tryInput(target, input)
            if status != 0 { return status }
        }
        return 0
    }

    // MARK: One target

    private static func search(_ target: FuzzTarget, seed: UInt64) -> Int32 {
        let corpus = corpus(of: target)
        var mutator = Mutator(target, corpus: corpus, seed: seed)
        for input in corpus where tryInput(target, input) != 0 { return 1 }
        var tried = 0
        while true {
            if tryInput(target, mutator.next()) != 0 { return 1 }
            tried += 1
            if tried % 50_000 == 0 { say("\(target.name): \(tried) inputs, seed \(seed)") }
        }
    }

    private static func tryInput(_ target: FuzzTarget, _ input: [UInt8]) -> Int32 {
        do {
            try target.run(input)
            return 0
        } catch {
            if target.name != "canary" {
                say("\(target.name): \(error)")
                say("reproduce: fuzz \(target.name) hex \(hex(input))")
            }
            return 1
        }
    }

    private static func corpus(of target: FuzzTarget) -> [[UInt8]] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Corpus").appendingPathComponent(target.name)
        // A target may have no corpus.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().compactMap { name in
            FileManager.default.contents(atPath: folder.appendingPathComponent(name).path)
                .map { Array($0) }
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func bytes(hex: String) -> [UInt8] {
        let digits = Array(hex.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
        }
    }

    private static func say(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }
}
