import Devices
import Reporting

/// An app of the fleet: its traits on phones, and its reports to its backend.
package struct FleetApp: Hashable, Sendable {
  package var profile: AppProfile
  package var reports: ReportPlan?

  package init(profile: AppProfile, reports: ReportPlan? = nil) {
    self.profile = profile
    self.reports = reports
  }
}
