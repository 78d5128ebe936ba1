import Timeline
import WireFormats

/// A request with all its values filled in, on its way from an app to its backend.
package struct OutgoingCall: Hashable, Sendable {
  package struct Header: Hashable, Sendable {
    package let name: String
    package let value: String
  }

  package let event: String
  package let method: String
  package let url: String
  package let headers: [Header]
  package let body: String?
  package let timeout: Duration
  /// The name under which it is remembered, if it is.
  let memory: String?
  let request: RequestTemplate
  let scope: TemplateScope
  /// The key that the call follows or unfollows; nil if the call is about something else.
  let followed: String?

  /// Fills in a template.
  init(
    _ request: RequestTemplate, at event: ReportEvent, scope: TemplateScope, plan: ReportPlan, followed: String?
  ) throws(MissingValue) {
    self.event = event.name
    self.request = request
    self.scope = scope
    self.followed = followed
    method = request.method
    timeout = request.timeout ?? plan.timeout
    var url = try request.url.render(scope, .url)
    if !request.query.isEmpty {
      url += url.contains("?") ? "&" : "?"
      url += try Self.form(request.query, scope)
    }
    self.url = url
    var headers: [Header] = []
    switch request.body {
    case .none: body = nil
    case .json(let template):
      headers.append(Header(name: "content-type", value: "application/json"))
      body = try template.render(scope).text
    case .form(let fields):
      headers.append(Header(name: "content-type", value: "application/x-www-form-urlencoded"))
      body = try Self.form(fields, scope)
    case .text(let template): body = try template.render(scope)
    }
    for field in plan.headers + request.headers {
      // A line break in a value would start another header.
      let rendered = try field.value.render(scope)
      let value = String(String.UnicodeScalarView(rendered.unicodeScalars.filter { !$0.isBarredInHeaders }))
      headers.removeAll { $0.name.lowercased() == field.name.lowercased() }
      headers.append(Header(name: field.name, value: value))
    }
    self.headers = headers
    if plan.dedupes, let dedupe = request.dedupe { memory = try dedupe.render(scope) } else { memory = nil }
  }

  private static func form(_ fields: [RequestTemplate.Field], _ scope: TemplateScope) throws(MissingValue) -> String {
    var parts: [String] = []
    for field in fields {
      parts.append(PercentCoding.encode(field.name) + "=" + PercentCoding.encode(try field.value.render(scope)))
    }
    return parts.joined(separator: "&")
  }

  /// Equal for two calls that report the same.
  var content: String { "\(method) \(url)\n\(body ?? "")" }
}

/// A request that the app does not send.
package enum UnsentCall: Hashable, Sendable {
  /// A placeholder of the template has no value.
  case incomplete(RequestTemplate, TemplateReference)
  /// Too many are waiting; the oldest is dropped.
  case crowdedOut(OutgoingCall)
}
