// The operating system, for all targets above this one.
@_exported import Glibc
