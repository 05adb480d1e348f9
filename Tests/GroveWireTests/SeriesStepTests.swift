import Testing

@testable import GroveWire

@Suite("SeriesStep")
struct SeriesStepTests {
    @Test func `a step's text says its time`() {
        for step in SeriesStep.allCases {
            #expect(step.rawValue == "\(step.milliseconds / 1_000)s")
        }
    }
}
