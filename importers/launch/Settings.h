#pragma once
// The scalars of a document of YAML, TOML or JSON by their dotted path ("trainer.devices"). Lists
// count as their length under "path#"; those of YAML and TOML have their items at "path.0",
// "path.1" and so on, and an alias stands for its anchor's scalar. YAML is read from the events of
// yaml-cpp, since its nodes take 970 MB for a list of 4 MiB (measured with 0.7) and follow aliases
// without end.

#include "core/model/Result.h"

#include <map>
#include <string_view>

namespace trainscope::importers::launch {

using Settings = std::map<std::string, std::string, std::less<>>;

inline constexpr std::size_t kMaxYamlBytes = std::size_t{4} << 20;

// Settings of the first document that is not empty. Fails for text that is not YAML, is nested
// deeper than the parser allows, or is larger than kMaxYamlBytes.
Result<Settings> readYamlSettings(std::string_view text, const std::string& where);

// Configurations of torchtitan. Fails for text that is not TOML, is larger than 256 KiB, or is
// nested deeper than settings are.
Result<Settings> readTomlSettings(std::string_view text, const std::string& where);

// DeepSpeed configurations, Hugging Face config.json, dumped arguments.
// Fails for text that is no JSON object, or is larger than kMaxYamlBytes. Members nested deeper
// than those of a configuration are passed over.
Result<Settings> readJsonSettings(std::string_view text, const std::string& where);

} // namespace trainscope::importers::launch
