import GroveAccess
import OrderedJSON
import Transducers

/// `define`: adds a version of a machine as data.
public struct Define: Sendable {
    /// The definition, JSON.
    public var text: [UInt8]
    /// The `id` in it, which is the name of the machine; `nil` if it has none.
    public var machine: String?
    /// Whether everything is checked and nothing done.
    public var isTrial: Bool
    /// The outcome of reading it, which takes too long for the engine's queue; `nil` before.
    public var compiled: CompiledDefinition?

    public init(
        text: [UInt8], machine: String? = nil, isTrial: Bool = false,
        compiled: CompiledDefinition? = nil
    ) {
        self.text = text
        self.machine = machine
        self.isTrial = isTrial
        self.compiled = compiled
    }
}

extension Reply {
    /// The answer to `define`.
    public struct Defined: Sendable {
        public var definition: DefinitionItem
        /// Whether it is new, or present again; a repeat changes nothing.
        public var changed: Bool
        /// The version that new instances use, if it is a later one.
        public var present: String?
        public var warnings: [DefinitionProblem]
    }
}

extension Engine {
    /// `define`: adds a version of a machine, which new instances use from now on.
    ///
    /// - Parameter caller: Who defines it. They need `define` for the machine and for those that
    ///   are written within it.
    mutating func define(_ define: Define, by caller: Caller, in turn: Turn) -> Reply {
        do throws(Failure) {
            guard let compiled = define.compiled else {
                throw Failure.busy("too many definitions are being read")
            }
            guard case .definitions(let family, let warnings) = compiled,
                let machine = family.first
            else {
                guard case .refused(let problems) = compiled else {
                    preconditionFailure("a compiled definition has a machine")
                }
                throw Failure.badDefinition(problems)
            }
            let subject = access.subject(of: caller.principal)
            guard family.allSatisfy({ subject.allows(.define, machine: $0.name) }) else {
                throw Failure.forbidden(verb: Verb.define.rawValue)
            }
            let item = Reply.DefinitionItem(machine)
            if let present = present(insteadOf: machine) {
                batch.rely(on: batch.committedCatalogue != nil)
                return .defined(
                    Reply.Defined(
                        definition: item, changed: false,
                        present: present == machine.version ? nil : present, warnings: warnings))
            }
            try check(machine, family, bytes: define.text.count, in: turn)
            if !define.isTrial { try add(family, define.text, in: turn) }
            return .defined(Reply.Defined(definition: item, changed: true, warnings: warnings))
        } catch {
            return .failure(error)
        }
    }

    /// Defines a machine of the server's own, with the next commit.
    public mutating func defineNow(
        _ define: Define, at now: Timestamp, store: any Store
    ) -> Reply {
        if let failure = storage.failure { return .failure(.storageCorrupt("\(failure)")) }
        return self.define(define, by: .owner, in: Turn(now: now, store: store))
    }

    /// Whether a definition is hosted.
    public func hosts(_ item: Reply.DefinitionItem) -> Bool {
        catalogue.definition(named: item.name, version: item.version)?.hash == item.hash
    }

    /// The present version of a machine if a definition is stored and changes nothing: it is the
    /// present one, or its author has given later ones. `nil` for one that isn't stored, and for
    /// former contents without a version, which become the present ones again.
    private func present(insteadOf machine: Definition) -> String? {
        guard let known = catalogue.definition(named: machine.name, version: machine.version),
            known.isFixed, known.hash == machine.hash, !catalogue.isRetired(machine.name),
            let present = catalogue[machine.name]?.version
        else { return nil }
        let isUnversioned = machine.version.hasPrefix("0+") && present.hasPrefix("0+")
        return present == machine.version || !isUnversioned ? present : nil
    }

    /// Refuses a name that others have: machines of the server's own, machines within others, and
    /// instances of neither.
    private func checkNames(
        _ machine: Definition, _ family: [Definition], in turn: Turn
    ) throws(Failure) {
        func refuse(_ message: String) -> Failure {
            .badDefinition([DefinitionProblem(path: "$.id", message: message)])
        }
        for definition in family {
            let name = definition.name
            if let present = catalogue[name], !present.isFixed {
                throw refuse("machine \(name) is compiled into the server: choose another id")
            }
            guard let home = catalogue.family(of: name) else {
                let count = turn.store.machineCounts[name]?.instances ?? 0
                guard count == 0 || catalogue.unusable.contains(machine.name) else {
                    throw refuse(
                        "the data has \(count == 1 ? "an instance" : "\(count) instances") of "
                            + "another machine \(name): choose another id, or use another data "
                            + "file")
                }
                continue
            }
            guard home == machine.name else {
                throw refuse(
                    home == name
                        ? "there is a machine \(name), which one within this machine would be "
                            + "called: choose another id"
                        : "\(name) is the name of a machine within \(home): choose another id")
            }
        }
    }

    /// Checks what only a server can know.
    private func check(
        _ machine: Definition, _ family: [Definition], bytes: Int, in turn: Turn
    ) throws(Failure) {
        func refuse(_ path: String, _ message: String) -> Failure {
            .badDefinition([DefinitionProblem(path: path, message: message)])
        }
        try checkNames(machine, family, in: turn)
        for definition in family {
            for handler in definition.handlers where !schedule.handlerQueues.isKnown(handler) {
                throw refuse(
                    "$", "this server has no handler \"\(handler)\": register it, or invoke another"
                )
            }
        }
        let (name, version) = (machine.name, machine.version)
        let known = catalogue.definition(named: name, version: version)
        if let known, known.hash != machine.hash {
            throw refuse(
                "$.version",
                "machine \(name) has a version \(version) with other contents: a changed "
                    + "definition needs a version of its own")
        }
        if known == nil || catalogue.isRetired(name), let present = catalogue[name],
            version.isEarlierVersion(than: present.version)
        {
            throw refuse(
                "$.version",
                "machine \(name) has the later version \(present.version) already: give this "
                    + "definition a later one")
        }
        guard known != nil || catalogue.storedCount < Limits.definitionsMax else {
            throw .limit(
                "a server may have \(Limits.definitionsMax) definitions: prune machines, which "
                    + "removes the versions without instances")
        }
        guard known != nil || catalogue.storedBytes + bytes <= Limits.definitionBytesTotalMax
        else {
            throw .limit(
                "the definitions of a server may have \(Limits.definitionBytesTotalMax) bytes: "
                    + "prune machines, which removes the versions without instances")
        }
    }

    private mutating func add(
        _ family: [Definition], _ text: [UInt8], in turn: Turn
    ) throws(Failure) {
        guard let machine = family.first else { return }
        keepCatalogue()
        do {
            try catalogue.add(family: family, bytes: text.count)
        } catch {
            throw .badDefinition([DefinitionProblem(path: "$.id", message: "\(error)")])
        }
        batch.writes.definitions.append(
            .put(
                StoredDefinition(
                    machine: machine.name, version: machine.version, hash: machine.hash,
                    text: text, defined: turn.now)))
    }

    /// Keeps the committed catalogue, before the batch changes it.
    mutating func keepCatalogue() {
        if batch.committedCatalogue == nil { batch.committedCatalogue = catalogue }
    }
}
