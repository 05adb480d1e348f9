import GroveEngine
import Logging
import Transducers

extension EngineLoop {
    /// Opens the file that names the instance whose code ended the last run; `nil` without a path.
    static func crashFile(at path: String?, log: Logger) -> CrashFile? {
        guard let path else { return nil }
        do throws(CrashFile.Problem) {
            return try CrashFile(path: path)
        } catch {
            log.warning("machines that trap can't be set aside", metadata: ["problem": "\(error)"])
            return nil
        }
    }

    /// Sets aside instances whose steps have ended the process twice in a row, and releases those
    /// whose machine has another version now. This is committed before all other work; without
    /// room on the disk, it holds until the process ends.
    ///
    /// - Throws: An error after which the store can't be trusted any more.
    func containCrashes(_ file: CrashFile?, _ catalogue: Catalogue) throws(StoreError) {
        guard let core else { return }
        let now = Clock.time()
        let released = core.engine.releaseOutdated(at: now, store: core.store)
        let contained = file.map { contain($0, catalogue, core, at: now) } ?? []
        // With it, handlers restart their work.
        opening = try core.engine.flush(to: core.store, at: now)
        let trapped = Set(core.engine.trapped)
        for subject in released { logRelease(subject, isHeld: trapped.contains(subject)) }
        for (trap, verdict, subject) in contained where !trapped.contains(subject) {
            file?.log.keep(trap.name, verdict)
            core.engine.setAsideForNow(
                subject, reason: trap.reason, definitionVersion: verdict.version, at: now)
        }
        let names = catalogue.all.map { ($0.name, $0.version) }
        if file?.start(machines: Dictionary(names) { first, _ in first }) == false {
            log.warning("the next trap of a machine won't be counted: no room beside the data file")
        }
        logSetAside(core.engine.setAside)
    }

    private typealias Contained = (trap: Trap, verdict: CrashLog.Verdict, subject: HoldSubject)

    /// Sets aside the subjects of the last run's traps, as a part of the next commit.
    private func contain(
        _ file: CrashFile, _ catalogue: Catalogue, _ core: Core, at now: Timestamp
    ) -> [Contained] {
        var contained: [Contained] = []
        for trap in file.traps {
            var verdict = file.log.add(trap.name, at: now)
            // Another version starts with a new count.
            if catalogue[trap.name.machine]?.version != verdict.version { verdict.subject = nil }
            report(trap, verdict)
            guard let subject = verdict.subject else { continue }
            contained.append((trap, verdict, subject))
            core.engine.setAside(
                subject, reason: trap.reason, definitionVersion: verdict.version, at: now,
                store: core.store)
        }
        file.log.removeOld(at: now) { catalogue[$0]?.version == $1 }
        core.engine.undescribed = Set(file.log.undescribed.keys)
        return contained
    }

    /// - Parameter isHeld: Whether it is still held, because the disk had no room for the release.
    private func logRelease(_ subject: HoldSubject, isHeld: Bool) {
        let metadata: Logger.Metadata = ["subject": "\(subject.text)"]
        guard isHeld else {
            return log.notice("goes on with another version of its machine", metadata: metadata)
        }
        log.warning(
            "stays set aside, because the disk is full: with room, the next start lets it go",
            metadata: metadata)
    }

    private func logSetAside(_ setAside: [HoldSubject]) {
        let machines = setAside.compactMap { if case .machine(let name) = $0 { name } else { nil } }
        let instances = setAside.compactMap {
            if case .instance(let name) = $0 { name.text } else { nil }
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
        if trap.effectNumber > 0 { metadata["effect"] = .stringConvertible(trap.effectNumber) }
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
    var signalName: String {
        let names = zip(
            TrapSignals.numbers, ["SIGILL", "SIGTRAP", "SIGSEGV", "SIGBUS", "SIGFPE", "SIGABRT"])
        return names.first { $0.0 == signal }?.1 ?? "signal \(signal)"
    }

    /// The reason of the hold, for people.
    var reason: String {
        var text = "its code ended the process with \(signalName)"
        if let event { text += " at event \(event)" }
        if effectNumber > 0 { text += ", of effect \(effectNumber)" }
        return text
    }
}
