/// The code of the functions that an environment declares.
public protocol CELHost {
    /// Calls a function.
    ///
    /// - Parameters:
    ///   - function: Its position among the environment's functions.
    ///   - arguments: As many as the signature has. Their types are those of the signature only if
    ///     the expression was checked and no `dyn` is involved.
    /// - Throws: ``CELCallError`` with the message of the evaluation's fault.
    func call(_ function: Int, _ arguments: [CELValue]) throws(CELCallError) -> CELValue
}
