/// The way in which a keyed container reads its node. It isn't nested in the generic container,
/// because its metadata would have to be looked up for every key type then.
enum KeyedForm {
    /// An object's members by their names.
    case object
    /// A string or an object that stands for a value of an enum.
    case enumeration
    /// The values of an enum case: the members of an object except `type`; a string has none.
    case values
}
