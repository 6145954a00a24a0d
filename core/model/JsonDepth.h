#pragma once
// Nesting depth of JSON, measured before it is parsed: parsing into an ordered object copies values
// and recurses as deep as they are nested, and a stack has an end.

#include <cstddef>
#include <string_view>

namespace trainscope {

inline constexpr std::size_t kDeepestJson = 64; // levels; what we write and read has about six

// Also of text that is no JSON.
bool isNestedTooDeep(std::string_view json, std::size_t most = kDeepestJson);

} // namespace trainscope
