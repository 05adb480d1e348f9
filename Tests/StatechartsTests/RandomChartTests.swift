import CEL
import GroveTestSupport
import OrderedJSON
import Testing

@testable import Statecharts

/// Random charts with random events: states are always legal, and can be stored.
struct RandomChartTests {
    /// Makes a definition whose states have the ids `s0`, `s1` and so on.
    struct Maker {
        var random: SeededRandom
        var count = 0
        /// The ids of states that can be targets, also of history states.
        var targets: [String] = []
        let total: Int

        init(seed: UInt64) {
            random = SeededRandom(seed: seed)
            total = 4 + random.below(20)
        }

        mutating func machine() -> JSONValue {
            let names = (0..<(1 + total / 5)).map { _ in newName() }
            var states = JSONObject()
            for name in names { states[name] = state(level: 0) }
            states["end"] = ["type": "final"]
            return addTransitions(
                .object([
                    "errors": .string(random.below(2) == 0 ? "fail" : "scxml"),
                    "initial": .string(names[0]), "context": ["n": 0], "states": .object(states),
                ]))
        }

        private mutating func newName() -> String {
            defer { count += 1 }
            targets.append("s\(count)")
            return "s\(count)"
        }

        private mutating func state(level: Int) -> JSONValue {
            guard level < 4, count < total, random.below(3) > 0 else { return [:] }
            let isParallel = random.below(3) == 0
            var children = JSONObject()
            let names = (0..<(1 + random.below(3))).map { _ in newName() }
            for name in names { children[name] = state(level: level + 1) }
            var object: JSONObject = [:]
            if isParallel {
                object["type"] = "parallel"
            } else {
                object["initial"] = .string(names[0])
            }
            if random.below(2) == 0 {
                children[newName()] = [
                    "type": "history",
                    "history": .string(random.below(2) == 0 ? "deep" : "shallow"),
                    "target": .string(names[random.below(names.count)]),
                ]
            }
            if !isParallel, random.below(3) == 0 {
                count += 1
                children["f\(count)"] = ["type": "final"]
            }
            object["states"] = .object(children)
            return .object(object)
        }

        /// Gives every state that can have them transitions to anywhere.
        private mutating func addTransitions(_ json: JSONValue) -> JSONValue {
            guard var object = json.object, var states = object["states"]?.object else {
                return json
            }
            for member in states {
                guard var inner = addTransitions(member.value).object else { continue }
                if inner["type"]?.string != "history", inner["type"]?.string != "final" {
                    inner["on"] = .object(transitions())
                    if random.below(4) == 0 {
                        inner["always"] = [
                            "guard": "context.n < 5", "target": target(),
                            "assign": ["n": "context.n + 1"],
                        ]
                    }
                    if random.below(12) == 0 { inner["entry"] = ["raise": "e1"] }
                }
                states[member.name] = .object(inner)
            }
            object["states"] = .object(states)
            return .object(object)
        }

        private mutating func target() -> JSONValue {
            random.below(40) == 0 ? "#end" : .string("#" + targets[random.below(targets.count)])
        }

        private mutating func transitions() -> JSONObject {
            var object: JSONObject = [:]
            for index in 0..<3 where random.below(2) == 0 {
                object["e\(index)"] = [
                    "target": target(), "reenter": .bool(random.below(2) == 0),
                    "assign": ["n": "0"],
                ]
            }
            return object
        }
    }

    @Test(arguments: UInt64(0)..<60)
    func `every state is legal and continues after it was stored`(seed: UInt64) throws {
        var maker = Maker(seed: seed)
        let json = maker.machine()
        let chart: Chart
        let accepted: Chart
        do {
            chart = try Chart(json)
            accepted = try Chart(json, wasAccepted: true)
        } catch {
            Issue.record("seed \(seed): \(error)")
            return
        }
        #expect(accepted.diagram == chart.diagram)
        let start = try #require(CELTimestamp(seconds: 0))
        let environment = ChartEnvironment(now: start, id: "i", machine: "m")
        // A machine may raise events for ever; that is a failure, not a state.
        guard var state = try? chart.start(environment).state else { return }
        for _ in 0..<40 {
            let written = chart.json(of: state)
            let restored = try chart.restore(JSONValue(parsing: written, limits: .stored))
            #expect(restored.configuration == state.configuration, "seed \(seed)")
            #expect(restored.histories == state.histories, "seed \(seed)")
            #expect(state.isFinished == (chart.activeStates(of: state) == ["end"]))
            let event = ChartEvent("e\(maker.random.below(3))")
            do throws(ChartFailure) {
                let step = try chart.step(state, event, environment)
                // As after a restart.
                let other = try accepted.step(restored, event, environment)
                #expect(chart.json(of: step.state) == chart.json(of: other.state))
                state = step.state
            } catch {
                #expect([.stepLimit, .evalLimit].contains(error.code), "seed \(seed): \(error)")
                break
            }
        }
    }

    @Test(arguments: UInt64(0)..<40)
    func `a definition with random faults is read or refused, and never ends the process`(
        seed: UInt64
    ) throws {
        var maker = Maker(seed: seed)
        var bytes = maker.machine().serialized()
        for _ in 0..<40 {
            let index = maker.random.below(bytes.count)
            switch maker.random.below(3) {
            case 0: bytes[index] = UInt8(32 + maker.random.below(95))
            case 1: bytes.remove(at: index)
            default: bytes.insert(bytes[maker.random.below(bytes.count)], at: index)
            }
            do {
                let chart = try Chart(parsing: bytes)
                #expect(chart.warnings.allSatisfy { $0.severity == .warning })
            } catch {
                #expect(!error.errors.isEmpty)
                // Continue from a text that can be read at least now and then.
                bytes = maker.machine().serialized()
            }
        }
    }
}

extension SeededRandom {
    /// A number from 0 up to a bound.
    fileprivate mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
