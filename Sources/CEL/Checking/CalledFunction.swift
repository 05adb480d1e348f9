/// The function that a call means.
enum CalledFunction {
    case builtIn(BuiltIn)
    /// By its position among the functions of the host.
    case host(Int)
}
