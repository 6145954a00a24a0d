#pragma once
// The scalars of a JSON object by their dotted path, as of a YAML document (YamlScalars.h):
// DeepSpeed configurations, Hugging Face config.json, dumped arguments.

#include "importers/launch/YamlScalars.h"

namespace trainscope::importers::launch {

// Fails for text that is no JSON object, or is larger than kMaxYamlBytes. What is nested deeper
// than a configuration would be is passed over.
Result<YamlScalars> readJsonSettings(std::string_view text, const std::string& where);

} // namespace trainscope::importers::launch
