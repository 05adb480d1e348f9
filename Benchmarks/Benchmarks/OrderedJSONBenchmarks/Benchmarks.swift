import Benchmark
import Foundation
import OrderedJSON

/// One iteration is a thousand texts, so that taking the time doesn't count; the figures shown
/// are those of one text.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput],
        scalingFactor: .kilo, maxDuration: .seconds(2))
    registerScanning()
    registerDecoding()
    registerEncoding()
}

/// Scanning a request of 91 bytes, and a batch of ten thousand of them.
private func registerScanning() {
    Benchmark("scan a request, \(Samples.line.count) bytes") { benchmark in
        var document = JSONDocument()
        try Samples.line.withUnsafeBytes { line in
            for _ in benchmark.scaledIterations { try document.parse(line) }
        }
        blackHole(document)
    }
    Benchmark("scan a request, JSONSerialization") { benchmark in
        let line = Data(Samples.line)
        for _ in benchmark.scaledIterations {
            blackHole(try JSONSerialization.jsonObject(with: line))
        }
    }
    let once = Benchmark.Configuration(
        metrics: [.wallClock, .throughput], scalingFactor: .one,
        maxDuration: .seconds(2))
    Benchmark("scan a batch, \(Samples.batch.count) bytes", configuration: once) { benchmark in
        let limits = JSONLimits(valuesMax: 1_000_000)
        var document = JSONDocument()
        try Samples.batch.withUnsafeBytes { batch in
            // The first time makes room, which is no part of scanning.
            try document.parse(batch, limits: limits)
            benchmark.startMeasurement()
            for _ in benchmark.scaledIterations { try document.parse(batch, limits: limits) }
            benchmark.stopMeasurement()
        }
        blackHole(document)
    }
    Benchmark("scan a batch, JSONSerialization", configuration: once) { benchmark in
        let batch = Data(Samples.batch)
        for _ in benchmark.scaledIterations {
            blackHole(try JSONSerialization.jsonObject(with: batch))
        }
    }
}

/// Making values of a request, an event and a state. Foundation reads enums in Swift's own form.
private func registerDecoding() {
    decoding("a request", Request.self, Samples.line, Samples.swiftLine)
    decoding("an event without values", Event.self, #""increment""#, #"{"increment":{}}"#)
    decoding(
        "an event with a value", Event.self, #"{"type":"add","amount":5}"#,
        #"{"add":{"amount":5}}"#)
    decoding("a state", State.self, #"{"count":5}"#, #"{"count":5}"#)
}

private func decoding<T: Decodable & Sendable>(
    _ name: String, _ type: T.Type, _ text: String, _ swiftText: String
) {
    decoding(name, type, Array(text.utf8), Array(swiftText.utf8))
}

/// Both scan the text and make the value.
private func decoding<T: Decodable & Sendable>(
    _ name: String, _ type: T.Type, _ text: [UInt8], _ swiftText: [UInt8]
) {
    Benchmark("decode \(name)") { benchmark in
        var document = JSONDocument()
        try text.withUnsafeBytes { text in
            for _ in benchmark.scaledIterations {
                try document.parse(text)
                blackHole(try JSONCoding.decode(type, from: document, at: document.root))
            }
        }
    }
    Benchmark("decode \(name), JSONDecoder") { benchmark in
        let decoder = JSONDecoder()
        let text = Data(swiftText)
        for _ in benchmark.scaledIterations { blackHole(try decoder.decode(type, from: text)) }
    }
}

private func registerEncoding() {
    encoding("a request", Samples.request)
    encoding("an event without values", Event.increment)
    encoding("an event with a value", Event.add(amount: 5))
    encoding("a state", State())
}

private func encoding<T: Encodable & Sendable>(_ name: String, _ value: T) {
    Benchmark("encode \(name)") { benchmark in
        var writer = JSONWriter(capacity: 256)
        for _ in benchmark.scaledIterations {
            writer.bytes.removeAll(keepingCapacity: true)
            try JSONCoding.encode(value, into: &writer)
            blackHole(writer)
        }
    }
    Benchmark("encode \(name), JSONEncoder") { benchmark in
        let encoder = JSONEncoder()
        for _ in benchmark.scaledIterations { blackHole(try encoder.encode(value)) }
    }
}
