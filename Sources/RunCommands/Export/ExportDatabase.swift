import CSQLite
import ClientCommands
import WireFormats

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The tables of an export in a file of SQLite.
///
/// They are written in one transaction: until `finish()`, other programs see the file as it was, and so it remains if
/// this one fails or is killed.
package final class ExportDatabase {
  /// The value of `PRAGMA application_id` in an export: "push" in ASCII.
  private static let application = 0x7075_7368

  private let path: String
  private let database: OpaquePointer
  private var inserts: [ExportTable: OpaquePointer] = [:]

  /// - Throws: a failure for a file that cannot be written, or that is neither empty nor an earlier export.
  package init(_ path: String) throws(CommandFailure) {
    self.path = path
    try Self.checkFiles(path)
    var database: OpaquePointer?
    // To SQLite, `:memory:` and `file:…` are not names of files.
    let file = path.hasPrefix("/") ? path : "./" + path
    let code = sqlite3_open_v2(file, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    guard let database else { throw CommandFailure("\(path) cannot be written: out of memory.", .invalid) }
    self.database = database
    try check(code)
    let (entries, application) = (try number("SELECT COUNT(*) FROM sqlite_schema"), try number("PRAGMA application_id"))
    guard entries == 0 || application == Self.application else { throw foreign }
    // No power failure has to be survived. A replaced export gives its space back.
    try run("PRAGMA synchronous = OFF; PRAGMA auto_vacuum = FULL; BEGIN EXCLUSIVE")
    try run("PRAGMA application_id = \(Self.application);" + ExportTable.schema)
    for table in ExportTable.allCases {
      let places = table.columns.map { _ in "?" }.joined(separator: ",")
      inserts[table] = try prepare("INSERT INTO \(table.rawValue) VALUES (\(places))")
    }
  }

  /// Rejects files that SQLite would replace: a short file of another kind, and files beside a new one that have the
  /// names of its journals.
  private static func checkFiles(_ path: String) throws(CommandFailure) {
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return }
    guard let file = fopen(path, "r") else { return }
    defer { fclose(file) }
    var beginning = [UInt8](repeating: 0, count: magic.count)
    beginning.removeLast(magic.count - fread(&beginning, 1, magic.count, file))
    guard beginning.isEmpty else {
      guard beginning == magic else { throw foreign(path) }
      return
    }
    for suffix in ["-journal", "-wal"] where access(path + suffix, F_OK) == 0 {
      throw CommandFailure("\(path)\(suffix) exists, and SQLite would replace it; choose another name.", .invalid)
    }
  }

  /// The first bytes of every SQLite file.
  private static let magic = Array("SQLite format 3\0".utf8)

  deinit {
    for insert in inserts.values { sqlite3_finalize(insert) }
    // Undoes a transaction that is not finished. After a full disk, SQLite leaves this to the next who reads.
    for statement in ["ROLLBACK", "SELECT COUNT(*) FROM sqlite_schema"] {
      sqlite3_exec(database, statement, nil, nil, nil)
    }
    sqlite3_close(database)
  }

  /// Adds a row, with a cell for each column.
  package func insert(_ cells: [JSONValue], into table: ExportTable) throws(CommandFailure) {
    guard let insert = inserts[table] else { return }
    for (index, cell) in zip(Int32(1)..., cells) {
      switch cell {
      case .null: try check(sqlite3_bind_null(insert, index))
      case .integer(let number): try check(sqlite3_bind_int64(insert, index, number))
      case .string(let text): try bind(text, to: insert, at: index)
      case .bool, .double, .array, .object: try bind(cell.text, to: insert, at: index)
      }
    }
    try check(sqlite3_step(insert))
    sqlite3_reset(insert)
  }

  /// Makes the tables visible.
  package func finish() throws(CommandFailure) { try run("COMMIT") }

  private func bind(_ text: String, to statement: OpaquePointer, at index: Int32) throws(CommandFailure) {
    // Functions of SQLite end a text at U+0000.
    var text = text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text
    try check(text.withUTF8 { pushpit_sqlite_bind_text(statement, index, $0.baseAddress, $0.count) })
  }

  private func run(_ statements: String) throws(CommandFailure) {
    try check(sqlite3_exec(database, statements, nil, nil, nil))
  }

  private func prepare(_ statement: String) throws(CommandFailure) -> OpaquePointer? {
    var prepared: OpaquePointer?
    try check(sqlite3_prepare_v2(database, statement, -1, &prepared, nil))
    return prepared
  }

  /// The number that a statement gives.
  private func number(_ statement: String) throws(CommandFailure) -> Int {
    let prepared = try prepare(statement)
    defer { sqlite3_finalize(prepared) }
    try check(sqlite3_step(prepared))
    return Int(sqlite3_column_int64(prepared, 0))
  }

  private var foreign: CommandFailure { Self.foreign(path) }

  private static func foreign(_ path: String) -> CommandFailure {
    CommandFailure("\(path) is not an earlier export of Pushpit, so it was left unchanged.", .invalid)
  }

  private func check(_ code: Int32) throws(CommandFailure) {
    switch code {
    case SQLITE_OK, SQLITE_ROW, SQLITE_DONE: return
    case SQLITE_NOTADB: throw foreign
    case SQLITE_BUSY: throw CommandFailure("\(path) is in use by another program.", .invalid)
    default:
      let error = code == SQLITE_FULL ? ENOSPC : sqlite3_system_errno(database)
      let reason = String(cString: error == 0 ? sqlite3_errstr(code) : UnsafePointer(strerror(error)))
      throw CommandFailure("\(path) cannot be written: \(reason).", .invalid)
    }
  }
}
