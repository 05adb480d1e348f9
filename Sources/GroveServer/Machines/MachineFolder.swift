import Dispatch
import Foundation
import GroveEngine
import GroveNetwork
import Logging
import Statecharts

/// The folder of machines as data: each file `*.json` in it is a definition. The folder is read at
/// the start, and looked at every second. A file that has changed is defined; one that can't be is
/// reported once, and the machines stay as they are. A file that disappears changes nothing.
///
/// It has a queue of its own: effect handlers can block every thread of Swift's tasks.
actor MachineFolder: QueueActor {
    nonisolated let executor = QueueExecutor(label: "grove.machines")
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    private let path: String
    private let engine: EngineLoop
    private let log: Logger
    private var timer: (any DispatchSourceTimer)?
    /// The files that were looked at.
    private var marks: [String: Mark] = [:]
    private var isLooking = false
    /// The reason why the folder can't be read, once it was reported.
    private var problem: String?

    /// What is known of a file: while it is the same, it isn't read again.
    private struct Mark: Equatable {
        let size: Int
        let changed: Date
        let number: Int
    }

    init(_ path: String, engine: EngineLoop, log: Logger) {
        self.path = path
        self.engine = engine
        self.log = log
    }

    /// Defines the machines of all files, in the order of their names; from then on those of files
    /// that change.
    func start() async {
        await look()
        let timer = DispatchSource.makeTimerSource(queue: executor.queue)
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
        timer.setEventHandler { [weak self] in
            self?.assumeIsolated { folder in
                _ = Task { await folder.look() }
            }
        }
        timer.resume()
        self.timer = timer
    }

    /// Ends the watching.
    func stop() {
        timer?.cancel()
        timer = nil
    }

    private func look() async {
        guard !isLooking else { return }
        isLooking = true
        defer { isLooking = false }
        let files: [(name: String, mark: Mark)]
        do {
            files = try self.files()
            problem = nil
        } catch {
            return report(error.localizedDescription)
        }
        for (name, mark) in files where marks[name] != mark {
            if await define(name, size: mark.size) { marks[name] = mark }
        }
        let names = Set(files.map(\.name))
        for name in marks.keys where !names.contains(name) { marks[name] = nil }
    }

    private func report(_ found: String) {
        guard found != problem else { return }
        problem = found
        log.error(
            "the folder of machines can't be read",
            metadata: ["folder": "\(path)", "problem": "\(found)"])
    }

    private func files() throws -> [(name: String, mark: Mark)] {
        let manager = FileManager.default
        return try manager.contentsOfDirectory(atPath: path)
            .filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }
            .sorted()
            .compactMap { name in
                // A file may disappear while the folder is read.
                guard let facts = try? manager.attributesOfItem(atPath: "\(path)/\(name)"),
                    facts[.type] as? FileAttributeType != .typeDirectory
                else { return nil }
                return (
                    name,
                    Mark(
                        size: facts[.size] as? Int ?? 0,
                        changed: facts[.modificationDate] as? Date ?? .distantPast,
                        number: facts[.systemFileNumber] as? Int ?? 0)
                )
            }
    }

    /// Defines the machine of a file.
    ///
    /// - Returns: Whether the file needn't be looked at again until it changes.
    private func define(_ name: String, size: Int) async -> Bool {
        let file = "\(path)/\(name)"
        guard size <= ChartLimits.definitionBytesMax else {
            report(name, ["a definition may have \(ChartLimits.definitionBytesMax) bytes"])
            return true
        }
        let text: [UInt8]
        do {
            text = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
        } catch {
            report(name, [error.localizedDescription])
            return true
        }
        let compiled = ChartCompiler.compile(text)
        guard let reply = await engine.define(Define(text: text, compiled: compiled)) else {
            return false
        }
        switch reply {
        case .defined(let defined):
            guard defined.changed else { return true }
            log.info(
                "machine defined",
                metadata: [
                    "file": "\(name)", "machine": "\(defined.definition.name)",
                    "version": "\(defined.definition.version)",
                ])
            for warning in defined.warnings {
                log.warning(
                    "a definition has a weak point",
                    metadata: ["file": "\(name)", "at": "\(warning.path): \(warning.message)"])
            }
        case .failure(.badDefinition(let problems)):
            report(name, problems.filter(\.isError).map { "\($0.path): \($0.message)" })
        case .failure(let failure): report(name, ["\(failure)"])
        default: preconditionFailure("define has no other answers")
        }
        return true
    }

    private func report(_ name: String, _ problems: [String]) {
        for problem in problems.prefix(Self.problemsLoggedMax) {
            log.error(
                "a file of the machines' folder isn't used",
                metadata: ["file": "\(name)", "problem": "\(problem)"])
        }
    }
}
