#pragma once
// The scalars of a YAML document or a JSON object by their dotted path ("trainer.devices").

#include "core/model/Result.h"

#include <map>
#include <string>
#include <string_view>

namespace trainscope::importers::launch {

using Settings = std::map<std::string, std::string, std::less<>>;

inline constexpr std::size_t kMaxYamlBytes = std::size_t{4} << 20;

// Of the first document that is not empty. Fails for text that is not YAML, is nested deeper than
// the parser allows, or is larger than kMaxYamlBytes.
Result<Settings> readYamlSettings(std::string_view text, const std::string& where);

// Fails for text that is no JSON object, or is larger than kMaxYamlBytes. What is nested deeper
// than a configuration would be is passed over.
Result<Settings> readJsonSettings(std::string_view text, const std::string& where);

} // namespace trainscope::importers::launch
