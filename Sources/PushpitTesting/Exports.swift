// The places of failures are written by a macro of Testing, also in files of helpers that do not import it.
@_exported import Testing
