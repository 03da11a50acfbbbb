"""Seeds single faults into C++ sources and tells which of them the unit tests let through."""
