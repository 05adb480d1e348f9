#if canImport(SwiftUI)
    public import SwiftUI

    /// A view that runs a machine while it is shown. A new proxy ends the machine and starts
    /// another one with the present state.
    ///
    /// Not verified on Linux, where there is no SwiftUI: reviewed by eye.
    @MainActor
    public struct TransducerView<
        Transducer: RunnableTransducer & SendableMetatype, Content: View
    >: View {
        /// Receives the machine's end, once.
        public typealias Completion = @MainActor (Result<Transducer.Output, any Error>) -> Void

        @Binding private var state: Transducer.State
        @SwiftUI.State private var ownProxy = Transducer.Proxy()
        private let proxy: Transducer.Proxy?
        private let env: Transducer.Env
        private let output: any Subject<Transducer.Output>
        private let completion: Completion?
        private let content: (Transducer.State, Transducer.Proxy.Input) -> Content

        /// A view of a machine.
        ///
        /// - Parameters:
        ///   - transducer: The machine.
        ///   - initialState: Holds its state.
        ///   - proxy: Sends events; by default a new one.
        ///   - env: The environment of effects.
        ///   - output: Receives the outputs.
        ///   - completion: Receives the machine's end, once.
        ///   - content: The view of a state, with the input to send events to.
        public init(
            of transducer: Transducer.Type = Transducer.self,
            initialState: Binding<Transducer.State>, proxy: Transducer.Proxy? = nil,
            env: Transducer.Env,
            output: any Subject<Transducer.Output> = NoCallback<Transducer.Output>(),
            completion: Completion? = nil,
            @ViewBuilder content:
                @escaping (
                    Transducer.State, Transducer.Proxy.Input
                ) -> Content
        ) {
            self._state = initialState
            self.proxy = proxy
            self.env = env
            self.output = output
            self.completion = completion
            self.content = content
        }

        /// The content, and the machine beside it.
        public var body: some View {
            let proxy = proxy ?? ownProxy
            content(state, proxy.input)
                .task(id: proxy.id) { await run(proxy, output: output) }
        }

        private func run(
            _ proxy: Transducer.Proxy, output: some Subject<Transducer.Output>
        ) async {
            let result: Result<Transducer.Output, any Error>
            do {
                result = .success(
                    try await Transducer.run(
                        storage: BindingStorage(binding: $state), proxy: proxy, env: env,
                        output: output))
            } catch {
                result = .failure(error)
            }
            completion?(result)
        }
    }

    extension TransducerView where Transducer.Env == Void {
        /// As `init(of:initialState:proxy:env:output:completion:content:)`, without environment.
        public init(
            of transducer: Transducer.Type = Transducer.self,
            initialState: Binding<Transducer.State>, proxy: Transducer.Proxy? = nil,
            output: any Subject<Transducer.Output> = NoCallback<Transducer.Output>(),
            completion: Completion? = nil,
            @ViewBuilder content:
                @escaping (
                    Transducer.State, Transducer.Proxy.Input
                ) -> Content
        ) {
            self.init(
                of: transducer, initialState: initialState, proxy: proxy, env: (),
                output: output, completion: completion, content: content)
        }
    }

    /// A binding as a machine's storage.
    private struct BindingStorage<Value>: Storage {
        let binding: Binding<Value>

        var value: Value {
            get { binding.wrappedValue }
            nonmutating set { binding.wrappedValue = newValue }
        }
    }
#endif
