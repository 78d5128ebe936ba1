import Timeline
import WireFormats

/// A request that an app sends at an event, with placeholders.
package struct RequestTemplate: Hashable, Sendable {
  package struct Field: Hashable, Sendable {
    package let name: String
    package let value: Template

    package init(_ name: String, _ value: Template) {
      self.name = name
      self.value = value
    }
  }

  package enum Body: Hashable, Sendable {
    case none
    case json(JSONTemplate)
    case form([Field])
    case text(Template)
  }

  /// The occasion on which a failed request is retried.
  package enum Occasion: String, CaseIterable, Hashable, Sendable {
    case foreground
  }

  package let method: String
  package let url: Template
  package var query: [Field] = []
  package var headers: [Field] = []
  package var body = Body.none
  /// Sent only if it differs from what was last sent successfully under this name.
  package var dedupe: Template?
  package var timeout: Duration?
  /// Failed requests wait in memory for the next of these.
  package var retry: [Occasion] = []
  /// The place of the followed keys in a successful answer; they replace the current ones.
  package var reconcile: TemplateReference?
  /// Steps after a successful answer.
  package var then: [FollowUpStep] = []
  /// Steps after the call has ended in any way.
  package var finally: [FollowUpStep] = []

  package static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

  package init(method: String, url: Template) {
    self.method = method
    self.url = url
  }

  /// Placeholders used before the answer, and after it.
  package var references: (before: [TemplateReference], after: [TemplateReference]) {
    var before = url.references + (query + headers).flatMap(\.value.references) + (dedupe?.references ?? [])
    switch body {
    case .none: break
    case .json(let template): before += template.references
    case .form(let fields): before += fields.flatMap(\.value.references)
    case .text(let template): before += template.references
    }
    return (before, (then + finally).flatMap(\.references) + (reconcile.map { [$0] } ?? []))
  }
}
