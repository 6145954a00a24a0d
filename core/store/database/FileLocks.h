#pragma once
// Tells whether a file system has the locks by which programs share a database.

#include <string>

namespace trainscope::store {

// Tries one on a file without a name in the folder of `path`; true where it cannot be tried.
bool hasFileLocks(const std::string& path);

} // namespace trainscope::store
