import Transducers

extension RunOptions {
    /// The same options, with a trace that writes lines. A trace that is there already goes on,
    /// before it.
    ///
    /// - Parameters:
    ///   - format: What is written of each record.
    ///   - write: Takes one line, without its end; called on the machine's actor, in the order
    ///     in which things took effect. The machine waits for it.
    public func traced(
        by format: TraceFormat = TraceFormat(), to write: @escaping (String) -> Void
    ) -> RunOptions {
        var options = self
        options.trace = { [trace] record in
            trace?(record)
            for line in format.lines(for: record) { write(line) }
        }
        return options
    }
}
