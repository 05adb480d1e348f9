import GroveEngine
import GroveTestSupport
import Testing
import Transducers

@testable import GroveServer

/// The texts of `keep-machines`.
@Suite("MachineBounds")
struct MachineBoundsTests {
    private func read(_ texts: [String]) throws -> [String: JournalBounds] {
        var bounds = MachineBounds()
        for text in texts { try bounds.add(text) }
        return bounds.byMachine
    }

    @Test func `each text is one bound, and a machine may have all of them`() throws {
        #expect(try read([]).isEmpty)
        #expect(
            try read(["sensor:age-s=86400", "order:steps=1", "order:bytes=9007199254740992"])
                == [
                    "sensor": JournalBounds(ageMillisecondsMax: 86_400_000),
                    "order": JournalBounds(stepsMax: 1, bytesMax: 1 << 53),
                ])
        #expect(
            try read(["a.b-c_1:bytes=7", "a.b-c_1:age-s=3000000000", "a.b-c_1:steps=5"])
                == [
                    "a.b-c_1": JournalBounds(
                        stepsMax: 5, ageMillisecondsMax: 3_000_000_000_000, bytesMax: 7)
                ])
    }

    @Test(arguments: [
        ("sensor", "must be machine:bound=number"), ("", "must be machine:bound=number"),
        ("sensor:steps", "must be machine:bound=number"), ("a=b:c", "must be machine:bound"),
        (":steps=1", "\"\" in \":steps=1\" is no machine's name"),
        ("9x:steps=1", "\"9x\" in \"9x:steps=1\" is no machine's name"),
        ("a/b:steps=1", "is no machine's name"), ("ä:steps=1", "is no machine's name"),
        ("sensor:age=1", "\"age\" in \"sensor:age=1\" is no bound; there are age-s, steps, bytes"),
        ("sensor:Steps=1", "is no bound"), ("sensor:=1", "is no bound"),
        ("sensor:steps=0", "an integer from 1 to 9007199254740992"),
        ("sensor:steps=-1", "an integer from 1"), ("sensor:steps=", "an integer from 1"),
        ("sensor:steps=1e3", "an integer from 1"), ("sensor:steps=1:2", "an integer from 1"),
        ("sensor:steps=9007199254740993", "an integer from 1"),
        ("sensor:age-s=3000000001", "an integer from 1 to 3000000000"),
        ("sensor:bytes=99999999999999999999", "an integer from 1"),
    ])
    func `the error for a bound has its text`(text: String, words: String) throws {
        let problem = #expect(throws: ConfigurationProblem.self) { try read([text]) }
        #expect(problem?.description.contains(words) == true, "\(String(describing: problem))")
        #expect(problem?.description.contains(text) == true)
    }

    @Test func `a bound can't occur twice, and a wrong text adds nothing`() throws {
        var bounds = MachineBounds()
        try bounds.add("sensor:steps=5")
        let problem = #expect(throws: ConfigurationProblem.self) {
            try bounds.add("sensor:steps=6")
        }
        #expect(problem?.description == "sensor:steps is there twice")
        #expect(throws: ConfigurationProblem.self) { try bounds.add("order:steps=x") }
        #expect(bounds.byMachine == ["sensor": JournalBounds(stepsMax: 5)])
    }

    @Test func `the number of machines with bounds is bounded`() throws {
        var bounds = MachineBounds()
        for number in 0..<MachineBounds.machinesMax { try bounds.add("m\(number):steps=1") }
        try bounds.add("m0:bytes=1")
        let problem = #expect(throws: ConfigurationProblem.self) { try bounds.add("n:steps=1") }
        #expect(problem?.description.contains("256 may have bounds") == true)
        #expect(bounds.byMachine.count == 256)
    }

    @Test func `bounds of machines that aren't hosted are named in order`() throws {
        var retention = RetentionOptions()
        #expect(retention.machinesUnknown(to: try Catalogue([])).isEmpty)
        retention.machines = ["b": JournalBounds(), "a": JournalBounds(), "c": JournalBounds()]
        #expect(retention.machinesUnknown(to: try Catalogue([])) == ["a", "b", "c"])
    }
}
