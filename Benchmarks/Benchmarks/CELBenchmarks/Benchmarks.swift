import Benchmark
import CEL

/// One iteration is a thousand evaluations, so that taking the time doesn't count; the figures
/// shown are those of one evaluation.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput, .instructions],
        scalingFactor: .kilo, maxDuration: .seconds(2))
    register(
        "a guard of numbers", "context.paid + event.amount >= context.total")
    register(
        "a guard of texts",
        "event.currency == 'EUR' && context.state in ['open', 'paying'] && !context.locked")
    register("a macro", "context.items.all(x, x > 0)")
    register("a text that is made", "context.currency + ':' + string(context.total)")
    register("a regular expression", "event.currency.matches('^[A-Z]{3}$')")
    Benchmark("compile a guard") { benchmark in
        for _ in benchmark.scaledIterations {
            blackHole(try environment.compile("context.paid + event.amount >= context.total"))
        }
    }
}

private let environment = CELEnvironment(
    variables: [.init("context", .map(.string, .dyn)), .init("event", .map(.string, .dyn))],
    allowsMixedArithmetic: true)

private let values: [CELValue] = [
    [
        "total": 120, "paid": 20, "currency": "EUR", "state": "paying", "locked": false,
        "items": [1, 2, 3, 4, 5, 6, 7, 8],
    ],
    ["type": "PAY", "amount": 100, "currency": "EUR"],
]

private func register(_ name: String, _ expression: String) {
    Benchmark("evaluate \(name)") { benchmark in
        let program = try environment.compile(expression)
        for _ in benchmark.scaledIterations { blackHole(try program.evaluate(values)) }
    }
}
