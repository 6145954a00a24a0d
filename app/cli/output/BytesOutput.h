#pragma once
// Bytes that the ranks of a run exchange per step, computed beside measured: `layout --traffic`.

#include "app/cli/text/Json.h"
#include "core/analysis/cluster/RunBytes.h"
#include "core/layout/Layout.h"

#include <iosfwd>
#include <optional>

namespace trainscope::cli {

// Bytes of one rank, or of the first rank of each stage; nodes and the lines between them always.
Json bytesJson(
    const analysis::RunBytes& bytes, const layout::Layout& layout, std::optional<int> rank);
void printBytes(std::ostream& out, const analysis::RunBytes& bytes, const layout::Layout& layout,
    std::optional<int> rank);

} // namespace trainscope::cli
