import Devices
import Reporting

/// An app of the fleet: what phones know of it, and what it tells its backend.
package struct FleetApp: Hashable, Sendable {
  package var profile: AppProfile
  package var reports: ReportPlan?

  package init(profile: AppProfile, reports: ReportPlan? = nil) {
    self.profile = profile
    self.reports = reports
  }
}
