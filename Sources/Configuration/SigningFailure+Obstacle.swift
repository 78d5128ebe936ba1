import Signing

extension SigningFailure {
  /// Why a file that somebody named cannot be read, as the end of a sentence.
  package var obstacle: String {
    switch self {
    case .unreadable(_, let reason): reason.prefix(1).lowercased() + reason.dropFirst()
    case .notAFile: "it is a folder or a device, not a file"
    case .notText: "it is not text in UTF-8"
    case .tooLong(_, let limit): "it is longer than \(limit) bytes"
    default: description
    }
  }
}
