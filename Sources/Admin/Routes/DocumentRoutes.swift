import Grammar
import Scenarios
import Simulation
import WireFormats

/// Documents about the server for other programs.
enum DocumentRoutes {
  static let routes: [Route] = [
    Route("GET /metrics", id: "getMetrics", tag: .about, summary: "counts for Prometheus", answer: metrics)
      .meaning(
        """
        Text format 0.0.4. Answers are counted in `pushpit_pushes_total{environment,status,reason}` (`reason` is
        empty for 200; a reason appears with its first rejection), fates in `pushpit_push_fates_total{fate}`.
        """
      )
      .answers(Answer(200, "One family per count, each with HELP and TYPE.", as: [.text()])),
    Route("GET /openapi.yaml", id: "getDocument", tag: .about, summary: "the description of this API", answer: document)
      .answers(Answer(200, "The OpenAPI document.", as: [.text("application/yaml")])),
  ]

  static func metrics(_ context: inout AdminContext, _ simulator: inout Simulator) -> AdminReply {
    let server = context.server
    let page = MetricsPage(simulator, version: context.version, server())
    return .text(page.text, contentType: "text/plain; version=0.0.4; charset=utf-8")
  }

  static func document(_ context: inout AdminContext, _ simulator: inout Simulator) -> AdminReply {
    .response { AdminResponse(status: 200, contentType: "application/yaml", body: Array(OpenAPIDocument.text.utf8)) }
  }
}
