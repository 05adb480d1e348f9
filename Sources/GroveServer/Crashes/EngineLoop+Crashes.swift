import GroveEngine
import Logging
import Transducers

/// How the io queue is to deal with machines that trap.
struct Containment: Sendable {
    /// Where it notes whose events it reads; `nil` where nothing outlives the process.
    var witness: CrashSlot?
    /// Whose events it isn't to read.
    var trapped: [HoldSubject] = []
    /// How many of them are set aside now.
    var setAside = 0
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
    /// version of its machine now. All of it is committed before anything else; where there is no
    /// room for it on the disk, it holds until the process ends.
    ///
    /// - Throws: when the store can't be trusted any more.
    func containCrashes(_ file: CrashFile?, _ catalogue: Catalogue) throws(StoreError) {
        guard let core else { return }
        let now = Clock.time()
        let letGo = core.engine.letGoOutdated(at: now, store: core.store)
        let contained = file.map { contain($0, catalogue, core, at: now) } ?? []
        // Handlers begin again with it what they were at.
        opening = try core.engine.flush(to: core.store, at: now)
        let trapped = Set(core.engine.trapped)
        for subject in letGo { tellLetGo(subject, isHeld: trapped.contains(subject)) }
        for (trap, verdict, subject) in contained where !trapped.contains(subject) {
            file?.log.keep(trap.name, verdict)
            core.engine.setAsideForNow(
                subject, reason: trap.reason, definitionVersion: verdict.version, at: now)
        }
        let names = catalogue.all.map { ($0.name, $0.version) }
        if file?.begin(machines: Dictionary(names) { first, _ in first }) == false {
            log.warning("the next trap of a machine won't be counted: no room beside the data file")
        }
        tellSetAside(core.engine.setAside)
    }

    private typealias Contained = (trap: Trap, verdict: CrashLog.Verdict, subject: HoldSubject)

    /// Sets aside what the last run has ended in, as a part of the next commit.
    private func contain(
        _ file: CrashFile, _ catalogue: Catalogue, _ core: Core, at now: Timestamp
    ) -> [Contained] {
        var contained: [Contained] = []
        for trap in file.traps {
            var verdict = file.log.add(trap.name, at: now)
            // Another version gets its own chances.
            if catalogue[trap.name.machine]?.version != verdict.version { verdict.subject = nil }
            report(trap, verdict)
            guard let subject = verdict.subject else { continue }
            contained.append((trap, verdict, subject))
            core.engine.setAside(
                subject, reason: trap.reason, definitionVersion: verdict.version, at: now,
                store: core.store)
        }
        file.log.forgetOld(at: now) { catalogue[$0]?.version == $1 }
        core.engine.undescribed = Set(file.log.undescribed.keys)
        return contained
    }

    /// - Parameter isHeld: Whether there was no room on the disk to write that it goes on.
    private func tellLetGo(_ subject: HoldSubject, isHeld: Bool) {
        let metadata: Logger.Metadata = ["subject": "\(subject.text)"]
        guard isHeld else {
            return log.notice("goes on with another version of its machine", metadata: metadata)
        }
        log.warning(
            "stays set aside, because the disk is full: with room, the next start lets it go",
            metadata: metadata)
    }

    private func tellSetAside(_ setAside: [HoldSubject]) {
        var machines: [String] = []
        var instances: [String] = []
        for subject in setAside {
            switch subject {
            case .machine(let name): machines.append(name)
            case .instance(let name): instances.append(name.text)
            }
        }
        if !machines.isEmpty {
            log.warning(
                "machines are set aside: grove definitions shows them, grove resume lets them go",
                metadata: ["machines": "\(machines.prefix(10).joined(separator: " "))"])
        }
        guard !instances.isEmpty else { return }
        log.warning(
            "instances are set aside; grove list --set-aside says why, grove retry lets them go on",
            metadata: [
                "count": .stringConvertible(instances.count),
                "instances": "\(instances.prefix(10).joined(separator: " "))",
            ])
    }

    private func report(_ trap: Trap, _ verdict: CrashLog.Verdict) {
        var metadata: Logger.Metadata = [
            "machine": "\(trap.name.machine)", "version": "\(verdict.version)",
            "signal": "\(trap.signalName)",
        ]
        if !verdict.isOfDescription {
            metadata["instance"] = "\(trap.name)"
            metadata["in_row"] = .stringConvertible(verdict.count)
        }
        if let event = trap.event { metadata["event"] = "\(event)" }
        if trap.run > 0 { metadata["effect"] = .stringConvertible(trap.run) }
        let message: Logger.Message =
            switch verdict.subject {
            case .instance:
                "a machine's code ended the last run, again: its instance is set aside"
            case .machine:
                "a machine's code ended the last run, at several instances: it is set aside"
            case nil where verdict.isOfDescription:
                "a machine's code ended the last run, tried out by describe, which does so no more"
            case nil: "a machine's code ended the last run"
            }
        log.error(message, metadata: metadata)
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
