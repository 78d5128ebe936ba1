import APNs

/// The suffix that goes with a push type's word; none for a word APNs does not know.
enum TopicSuffixes {
  static func suffix(of pushType: String) -> String { PushType(rawValue: pushType)?.suffix.text ?? "" }
}
