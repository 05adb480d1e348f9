import Dispatch
import Foundation
import GroveEngine
import GroveNetwork
import Logging
import Statecharts
import Transducers

/// The folder of machines as data: each file `*.json` in it is a definition. The folder is read at
/// the start, and looked at every second. A file that has changed is defined; one that can't be is
/// reported once, and the machines stay as they are. A file that disappears changes nothing. One
/// for which the server has no room is tried again, because pruning makes some.
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
    /// The files that have defined machines without a version, by machine.
    private var unversioned: [String: String] = [:]
    /// The files that define such a machine, too, by the file that counts.
    private var rivals: [String: Set<String>] = [:]
    /// What the files define, by file.
    private var versions: [String: MachineVersion] = [:]
    /// The files whose version isn't the present one, with that one; each is reported once.
    private var outdated: [String: MachineVersion] = [:]
    /// The files for whose definitions the server had no room.
    private var waiting: [String: Mark] = [:]
    /// Counts the looks at those.
    private var turns = 0
    /// The names that stand for no file, each of which is reported once.
    private var passedOver: Set<String> = []
    private var isLooking = false
    /// The reason why the folder can't be read, once it was reported.
    private var problem: String?

    private struct MachineVersion: Hashable {
        let machine: String
        let version: String
    }

    /// What is known of a file: while it is the same, it isn't read again. Of a symbolic link, it
    /// is the file that the link leads to, because mounted folders replace that. The time is that
    /// of the last change of contents or mode: a file that becomes readable is read.
    private struct Mark: Equatable {
        let size: Int
        let seconds: Int
        let nanoseconds: Int
        let device: UInt64
        let number: UInt64

        /// The file at a path; `nil` for none, and for what isn't a regular file.
        init?(of path: String) {
            var facts = stat()
            guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
            size = Int(facts.st_size)
            seconds = facts.st_ctim.tv_sec
            nanoseconds = facts.st_ctim.tv_nsec
            device = UInt64(facts.st_dev)
            number = UInt64(facts.st_ino)
        }
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
        // First what is gone: a file that was renamed defines the same machine.
        let names = Set(files.map(\.name))
        for name in marks.keys where !names.contains(name) { forget(name) }
        waiting = waiting.filter { names.contains($0.key) }
        for (name, mark) in files where marks[name] != mark && waiting[name] != mark {
            await look(at: name, mark)
        }
        await lookAgain()
        reportOutdated()
    }

    /// Defines the machine of a file. Returns whether there was room for it.
    @discardableResult
    private func look(at name: String, _ mark: Mark) async -> Bool {
        switch await define(name, isAgain: waiting[name] == mark) {
        case .isDone:
            marks[name] = mark
            waiting[name] = nil
        case .hasNoRoom:
            waiting[name] = mark
            return false
        case .isUnknown: break
        }
        return true
    }

    /// Tries files again for which there was no room: one after the other as long as there is, and
    /// only one if there is none.
    private func lookAgain() async {
        let names = waiting.keys.sorted()
        turns += 1
        for place in names.indices {
            let name = names[(place + turns) % names.count]
            guard let mark = waiting[name], await look(at: name, mark) else { return }
        }
    }

    /// Forgets a file that is gone. Those that define the same machine are looked at again.
    private func forget(_ name: String) {
        marks[name] = nil
        versions[name] = nil
        waiting[name] = nil
        release(name)
    }

    /// Lets other files define the machine that this one has defined.
    private func release(_ name: String) {
        unversioned = unversioned.filter { $0.value != name }
        for rival in rivals.removeValue(forKey: name) ?? [] { marks[rival] = nil }
    }

    /// Reports files with earlier versions than the present ones, unless others define those.
    private func reportOutdated() {
        let present = Set(versions.values)
        for (name, later) in outdated where !present.contains(later) {
            report(
                name,
                [
                    "machine \(later.machine) has the later version \(later.version), which new "
                        + "instances use: give this definition a later one"
                ])
        }
        outdated = [:]
    }

    private func report(_ found: String) {
        guard found != problem else { return }
        problem = found
        log.error(
            "the folder of machines can't be read",
            metadata: ["folder": "\(path)", "problem": "\(found)"])
    }

    private func files() throws -> [(name: String, mark: Mark)] {
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }
            .sorted()
        var files: [(name: String, mark: Mark)] = []
        var others: Set<String> = []
        for name in names {
            if let mark = Mark(of: "\(path)/\(name)") {
                files.append((name, mark))
            } else if let why = reason(against: name) {
                if !passedOver.contains(name) { warn(name, why) }
                others.insert(name)
            }
        }
        passedOver = others
        return files
    }

    /// Why a name stands for no file; `nil` if it is gone in the meantime.
    private func reason(against name: String) -> String? {
        var facts = stat()
        guard lstat("\(path)/\(name)", &facts) == 0 else {
            // Names are shown with this in the place of what isn't UTF-8.
            return name.contains("\u{FFFD}") ? "its name isn't UTF-8" : nil
        }
        return facts.st_mode & S_IFMT == S_IFLNK
            ? "the link leads to no file" : "it isn't a regular file"
    }

    private func warn(_ name: String, _ why: String) {
        log.warning(
            "a name in the machines' folder is passed over",
            metadata: ["file": "\(name)", "problem": "\(why)"])
    }

    /// What became of a file.
    private enum Outcome {
        /// It needn't be looked at again until it changes.
        case isDone
        /// The server has too many definitions.
        case hasNoRoom
        /// The server is ending.
        case isUnknown
    }

    /// Defines the machine of a file.
    ///
    /// - Parameter isAgain: Whether it was reported that there is no room for it.
    private func define(_ name: String, isAgain: Bool) async -> Outcome {
        let text: [UInt8]
        do {
            text = try read("\(path)/\(name)")
        } catch {
            report(name, [error.localizedDescription])
            return .isDone
        }
        guard text.count <= ChartLimits.definitionBytesMax else {
            report(name, ["a definition may have \(ChartLimits.definitionBytesMax) bytes"])
            return .isDone
        }
        let compiled = ChartCompiler.compile(text)
        let isAsBefore = compiled.unversioned.map { unversioned[$0] == name } ?? false
        // A file with errors changes nothing.
        if !isAsBefore, !compiled.isRefused { release(name) }
        if let machine = compiled.unversioned {
            if let other = unversioned[machine], other != name, marks[other] != nil {
                report(
                    name,
                    [
                        "\(other) defines machine \(machine), too: give each file a version, or "
                            + "another id"
                    ])
                rivals[other, default: []].insert(name)
                return .isDone
            }
            unversioned[machine] = name
        }
        guard let reply = await engine.define(Define(text: text, compiled: compiled)) else {
            return .isUnknown
        }
        switch reply {
        case .defined(let defined):
            let item = defined.definition
            versions[name] = MachineVersion(machine: item.name, version: item.version)
            outdated[name] = defined.present.map { MachineVersion(machine: item.name, version: $0) }
            guard defined.changed else { return .isDone }
            log.info(
                "machine defined",
                metadata: [
                    "file": "\(name)", "machine": "\(item.name)",
                    "version": "\(item.version)",
                ])
            for warning in defined.warnings {
                log.warning(
                    "a definition has a weak point",
                    metadata: ["file": "\(name)", "at": "\(warning.path): \(warning.message)"])
            }
        case .failure(.badDefinition(let problems)):
            report(name, problems.filter(\.isError).map { "\($0.path): \($0.message)" })
        case .failure(.limit(let why)):
            if !isAgain { report(name, [why]) }
            return .hasNoRoom
        case .failure(let failure): report(name, ["\(failure)"])
        default: preconditionFailure("define has no other answers")
        }
        return .isDone
    }

    /// Reads a file, and no more of it than shows that it is too large.
    private func read(_ file: String) throws -> [UInt8] {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
        // Nothing is written, so closing can't lose anything.
        defer { try? handle.close() }
        return Array(try handle.read(upToCount: ChartLimits.definitionBytesMax + 1) ?? Data())
    }

    private func report(_ name: String, _ problems: [String]) {
        for problem in problems.prefix(Self.problemsLoggedMax) {
            log.error(
                "a file of the machines' folder isn't used",
                metadata: ["file": "\(name)", "problem": "\(problem)"])
        }
    }
}

extension CompiledDefinition {
    fileprivate var isRefused: Bool {
        if case .refused = self { true } else { false }
    }

    /// The machine that it defines, if it names no version.
    fileprivate var unversioned: String? {
        guard case .definitions(let family, _) = self, let machine = family.first,
            machine.version.hasPrefix("0+")
        else { return nil }
        return machine.name
    }
}
