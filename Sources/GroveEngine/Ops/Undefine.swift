import Transducers

extension Engine {
    /// `undefine`: removes a machine as data. While it has instances, its versions stay for them,
    /// and it takes no new ones.
    mutating func undefine(_ name: String, in turn: Turn) -> Reply {
        do throws(Failure) {
            _ = try wholeMachine(named: name)
            let names = catalogue.names(inFamilyOf: name)
            var instances = names.reduce(0) {
                $0 + (turn.store.machineCounts[$1]?.instances ?? 0)
            }
            for place in batch.dirty where self.instances.residents[place].isNew {
                let stored = self.instances.residents[place].stored
                if names.contains(stored.name.machine) { instances += 1 }
            }
            keepCatalogue()
            if instances > 0 {
                catalogue.retire(name)
                batch.writes.definitions.append(.retire(name))
            } else {
                catalogue.remove(name)
                batch.writes.definitions.append(.remove(name))
            }
            return .undefined(instances: instances)
        } catch {
            return .failure(error)
        }
    }

    /// Refuses a new instance of a machine that was undefined, and one of a machine whose instances
    /// only another machine starts. Instances of a machine that was undefined may start those of
    /// the machines within it, as before.
    ///
    /// - Parameter parent: The instance that starts it; `nil` for a client.
    func requireOpen(_ machine: String, to parent: InstanceStarter? = nil) throws(Failure) {
        if let starter = catalogue[machine]?.machine.soleStarter, parent?.machine != starter {
            throw .badRequest(
                path: "$.to", message: "only machine \(starter) starts instances of \(machine)")
        }
        if let parent, catalogue.isPart(machine, besides: parent.machine) { return }
        guard catalogue.isRetired(machine) else { return }
        throw .badRequest(
            path: "$.to",
            message: "machine \(machine) was undefined, and takes no new instances")
    }
}
