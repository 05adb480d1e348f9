import FuzzTargets

@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ callback: @convention(c) (UnsafePointer<UInt8>, Int) -> Int32
) -> Int32

/// Runs one target, named by the first argument, guided by coverage. libFuzzer reads the other
/// arguments.
@main
struct Guided {
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
            CommandLine.unsafeArgv
        _ = runDriver(&count, &arguments) { bytes, count in
            Guided.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
            return 0
        }
    }

    private static let target: FuzzTarget = {
        let names = CommandLine.arguments.compactMap { argument in
            argument.hasPrefix("-target=") ? String(argument.dropFirst(8)) : nil
        }
        guard let target = names.first.flatMap(FuzzTarget.named) else {
            preconditionFailure("say -target=NAME")
        }
        return target
    }()

    private static func run(_ input: [UInt8]) {
        do {
            try target.run(input)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
