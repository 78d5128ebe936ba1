import Foundation
import Signing
import Testing

@testable import Pushpit

@Suite("The rights to a folder of secrets")
struct FolderRightsTests {
  @Test("a folder is sound if only its owner, who is this user or root, can write to it; root trusts every owner")
  func owners() {
    let (root, user, other): (uid_t, uid_t, uid_t) = (0, 1000, 1001)
    for mode: mode_t in [0o700, 0o755, 0o2750] {
      for (owner, reader) in [(user, user), (root, user), (root, root), (user, root)] {
        #expect(FolderRights.flaw(of: "/x", owner: owner, mode: S_IFDIR | mode, for: reader) == nil)
      }
      let flaw = FolderRights.flaw(of: "/x", owner: other, mode: S_IFDIR | mode, for: user)
      #expect(flaw == .folderForeign(path: "/x", owner: other, user: user))
    }
  }

  @Test("a folder to which its group or all others can write is not sound, whoever owns it")
  func modes() {
    for mode: mode_t in [0o770, 0o702, 0o777, 0o1777, 0o2775] {
      for (owner, reader): (uid_t, uid_t) in [(1000, 1000), (0, 1000), (0, 0), (1000, 0)] {
        let flaw = FolderRights.flaw(of: "/x", owner: owner, mode: S_IFDIR | mode, for: reader)
        #expect(flaw == .folderOpen(path: "/x", mode: UInt32(mode)))
      }
    }
  }

  @Test("the sentence about a folder names it, and the command that closes it")
  func sentences() {
    let open = SigningFailure.folderOpen(path: "/x y", mode: 0o1777).description
    #expect(open.contains("mode 1777") && open.contains("`chmod go-w '/x y'`"))
    let foreign = SigningFailure.folderForeign(path: "/x", owner: 1001, user: 1000).description
    #expect(foreign.contains("/x belongs to user 1001") && foreign.contains("`chown -R 1000 '/x'`"))
  }
}
