#pragma once
// The scalars of a YAML document by their dotted path ("trainer.devices"), read from the parser's
// events: no tree is built, so nesting and aliases cannot make it grow. An alias stands for its
// anchor's scalar; lists count as their length under "path#", with their items at "path.0",
// "path.1" and so on.

#include "core/model/Result.h"

#include <map>
#include <string>
#include <string_view>

namespace trainscope::importers::launch {

using YamlScalars = std::map<std::string, std::string, std::less<>>;

inline constexpr std::size_t kMaxYamlBytes = std::size_t{4} << 20;

// Of the first document that is not empty. Fails for text that is not YAML, is nested deeper than
// the parser allows, or is larger than kMaxYamlBytes.
Result<YamlScalars> readYamlScalars(std::string_view text, const std::string& where);

} // namespace trainscope::importers::launch
