import WireFormats

/// Swift's default `JSONDecoder` for one type of an app, as far as its verdict goes.
///
/// Documented: ActivityKit decodes attributes and content state with default strategies only.
///
/// A class, so that a push hands on one reference and not the plan's five lists; nothing in it changes.
package final class ContentDecoder: Hashable, Sendable {
  package let schema: ContentSchema
  private let plan: CompiledSchema

  package init(_ schema: ContentSchema) {
    self.schema = schema
    plan = CompiledSchema(schema)
  }

  /// The first failure in the order of the type's properties; nil when the value decodes.
  ///
  /// Runs for every push: while nothing fails, nothing is allocated.
  package func check(_ node: JSONNode) -> DecodeFailure? {
    ContentCheck.with(plan) { run in
      do throws(DecodeFailure) {
        try run.check(node, plan.root)
        return nil
      } catch {
        return error
      }
    }
  }

  /// The failure as a sentence about a value of that name.
  package func failure(_ node: JSONNode, at root: String) -> String? { check(node)?.sentence(from: root) }

  /// The plan follows from the schema.
  package static func == (left: ContentDecoder, right: ContentDecoder) -> Bool {
    left === right || left.schema == right.schema
  }
  package func hash(into hasher: inout Hasher) { hasher.combine(schema) }
}
