import Transducers

extension RunOptions {
    /// Returns these options with a trace that writes lines, after an existing trace.
    ///
    /// - Parameters:
    ///   - format: The content of the lines.
    ///   - write: Writes one line, given without its end. It is called on the machine's actor, in
    ///     order, and the machine waits for it.
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
