#pragma once
// The base time of a trace, looked up ahead: libkineto writes it behind the events.

#include "core/model/Import.h"
#include "importers/common/Source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainscope::importers::kineto {

// The base time that stands in a trace, wherever that is; absent when it has none. Mostly it is
// seen in the last bytes of the file, or, where these are compressed, of its text; only a trace
// that says it elsewhere is parsed for it.
Result<std::optional<std::int64_t>> findBaseTime(
    const SourceTree& tree, const std::string& path, const Progress& progress);

// The base time among the members between the events and the end of a trace, of which `tail` is the
// last part; absent if the end is not like that.
std::optional<std::int64_t> baseTimeOfTail(std::string_view tail);

} // namespace trainscope::importers::kineto
