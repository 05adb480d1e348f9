import Testing
import Transducers

extension TestTransducer where Machine.Output: Equatable {
    /// States the next output of the events that have been stated so far.
    ///
    /// Outputs are stated in order; those of events that haven't been stated yet don't count. A
    /// different output is removed too.
    public func expect(
        output: Machine.Output, sourceLocation place: SourceLocation = #_sourceLocation
    ) {
        if exhaustivity == .off {
            outputs.removeFirst(outputs.firstIndex(of: output) ?? 0)
        }
        guard let next = outputs.first else {
            let name = ValueText.all(output)
            fail("Expected the output \(quote(name)), and there is none.", at: place)
            return
        }
        if next == output || exhaustivity == .on { outputs.removeFirst() }
        if let difference = difference(output, next) {
            fail("The output is not as stated.\n\n\(difference)", at: place)
        }
    }

    /// States all remaining outputs of the events that have been stated so far; an empty list
    /// states that there are none.
    public func expect(
        outputs expected: [Machine.Output], sourceLocation place: SourceLocation = #_sourceLocation
    ) {
        let actual = outputs
        outputs = []
        if let difference = difference(expected, actual) {
            fail("The outputs are not as stated.\n\n\(difference)", at: place)
        }
    }
}

extension TestTransducer {
    /// States that a predicate holds for the next output, where outputs can't be compared.
    public func expectOutput(
        where isExpected: (Machine.Output) -> Bool,
        sourceLocation place: SourceLocation = #_sourceLocation
    ) {
        if exhaustivity == .off {
            outputs.removeFirst(outputs.firstIndex(where: isExpected) ?? 0)
        }
        guard let next = outputs.first else {
            fail("Expected an output, and there is none.", at: place)
            return
        }
        let isRight = isExpected(next)
        if isRight || exhaustivity == .on { outputs.removeFirst() }
        if !isRight {
            fail(
                "The output is not as stated: \(quote(ValueText.all(next))).", at: place)
        }
    }

    /// Drops the outputs of the events that have been stated so far.
    public func skipOutputs() { outputs = [] }
}
