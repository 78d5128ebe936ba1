import Scenarios
import Simulation
import WireFormats

/// The report of a run in its three forms.
package struct ReportFile {
  private let report: RunReport

  package init(_ report: RunReport) { self.report = report }

  package var html: String { ReportPage(report).text }
  package var json: String { report.json.text + "\n" }
  /// Some twenty lines.
  package var summary: String { ReportText.summary(report) }
}
