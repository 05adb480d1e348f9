import GroveEngine
import Logging
import Transducers

/// How the io queue is to deal with machines that trap.
struct Containment: Sendable {
    /// Where it notes whose events it reads; `nil` where nothing outlives the process.
    var witness: CrashSlot?
    /// Whose events it isn't to read.
    var setAside: [InstanceName] = []
}

extension EngineLoop {
    /// Opens the file that says whose code has ended the last run; `nil` without one.
    static func crashFile(at path: String?, log: Logger) -> CrashFile? {
        guard let path else { return nil }
        do throws(CrashFile.Problem) {
            return try CrashFile(path: path)
        } catch {
            log.warning(
                "machines that trap can't be set aside", metadata: ["problem": "\(error)"])
            return nil
        }
    }

    /// Sets aside whose steps have ended the process twice in a row, and lets go who has another
    /// version of its machine now. All of it is committed before anything else.
    ///
    /// - Throws: when the store can't be trusted any more.
    func containCrashes(_ file: CrashFile, _ catalogue: Catalogue) throws(StoreError) {
        guard let core else { return }
        let now = Clock.time()
        for name in core.engine.letGoOutdated(at: now, store: core.store) {
            log.notice(
                "goes on with another version of its machine", metadata: ["instance": "\(name)"])
        }
        for trap in file.traps {
            let entry = file.log.add(trap.name)
            // Another version gets its own chances.
            let isSetAside =
                entry.count >= CrashLog.crashesInRow
                && catalogue[trap.name.machine]?.version == entry.version
            report(trap, entry, isSetAside: isSetAside)
            guard isSetAside else { continue }
            core.engine.setAside(
                trap.name, reason: trap.reason, definitionVersion: entry.version, at: now,
                store: core.store)
        }
        let names = catalogue.all.map { ($0.name, $0.version) }
        file.begin(machines: Dictionary(names) { first, _ in first })
        // Handlers begin again with it what they were at.
        opening = try core.engine.flush(to: core.store, at: now)
        let setAside = core.engine.setAside
        guard !setAside.isEmpty else { return }
        log.warning(
            "instances are set aside; grove list --set-aside says why, grove retry lets them go on",
            metadata: [
                "count": .stringConvertible(setAside.count),
                "instances": "\(setAside.prefix(10).map(\.text).joined(separator: " "))",
            ])
    }

    private func report(_ trap: Trap, _ entry: CrashLog.Entry, isSetAside: Bool) {
        var metadata: Logger.Metadata = [
            "instance": "\(trap.name)", "machine": "\(trap.name.machine)",
            "version": "\(entry.version)", "signal": "\(trap.signalName)",
            "in_row": .stringConvertible(entry.count),
        ]
        if let event = trap.event { metadata["event"] = "\(event)" }
        if trap.run > 0 { metadata["effect"] = .stringConvertible(trap.run) }
        log.error(
            isSetAside
                ? "a machine's code ended the last run, again: its instance is set aside"
                : "a machine's code ended the last run",
            metadata: metadata)
    }
}

extension Trap {
    /// The signal's name.
    var signalName: String {
        let names = zip(
            TrapSignals.numbers, ["SIGILL", "SIGTRAP", "SIGSEGV", "SIGBUS", "SIGFPE", "SIGABRT"])
        return names.first { $0.0 == signal }?.1 ?? "signal \(signal)"
    }

    /// What happened, for whoever looks at the instance.
    var reason: String {
        var text = "its code ended the process with \(signalName)"
        if let event { text += " at event \(event)" }
        if run > 0 { text += ", of effect \(run)" }
        return text
    }
}
