/// A step that was refused, as opposed to an error that ends the run.
@usableFromInline
struct StepRefusal: Error {
    @usableFromInline let error: any Error

    @inlinable
    init(error: any Error) { self.error = error }
}
