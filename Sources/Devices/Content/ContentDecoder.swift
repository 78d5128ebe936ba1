import WireFormats

/// Gives the same verdict as Swift's default `JSONDecoder` for one type of an app.
///
/// Documented: ActivityKit decodes attributes and content state with default strategies only.
///
/// A class, so that a push passes one reference instead of the schema's five lists. Immutable.
package final class ContentDecoder: Hashable, Sendable {
  package let schema: ContentSchema
  private let plan: CompiledSchema

  package init(_ schema: ContentSchema) {
    self.schema = schema
    plan = CompiledSchema(schema)
  }

  /// The first failure in the order of the type's properties; nil if the value decodes.
  ///
  /// Runs for every push and allocates nothing unless it fails.
  package func check(_ node: JSONNode) -> DecodeFailure? {
    var hasDistantDate = false
    return check(node, &hasDistantDate)
  }

  private func check(_ node: JSONNode, _ hasDistantDate: inout Bool) -> DecodeFailure? {
    ContentCheck.with(plan, hasDistantDate: &hasDistantDate) { run in
      do throws(DecodeFailure) {
        try run.check(node, plan.root)
        return nil
      } catch {
        return error
      }
    }
  }

  /// The failure as a sentence, with the name of the value.
  package func failure(_ node: JSONNode, at root: String) -> String? { check(node)?.sentence(from: root) }

  func verdict(on node: JSONNode, at root: String) -> ContentVerdict {
    var hasDistantDate = false
    let failure = check(node, &hasDistantDate)?.sentence(from: root)
    return ContentVerdict(failure: failure, hasDistantDate: hasDistantDate)
  }

  /// The compiled schema depends only on the schema.
  package static func == (left: ContentDecoder, right: ContentDecoder) -> Bool {
    left === right || left.schema == right.schema
  }
  package func hash(into hasher: inout Hasher) { hasher.combine(schema) }
}

/// The result of decoding attributes or a content state.
struct ContentVerdict: Hashable, Sendable {
  /// A sentence; nil if it decodes.
  var failure: String?
  /// A date in it looks like one counted from 1970.
  var hasDistantDate = false
}
