#pragma once
// TimingFile: one CSV file of numbers below a line of names.

#include "core/model/Import.h"
#include "importers/common/Source.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::operators {

struct TimingTable {
    std::vector<std::string> names; // of the columns
    std::vector<std::vector<double>> rows;

    [[nodiscard]] bool has(std::string_view name) const;
};

// Lines whose cells are not numbers, or too few or too many, are counted and told in the report;
// so is the place where a stream breaks off. Columns of text are none of this kind of file.
TimingTable readTable(const SourceTree& tree, const std::string& path, ImportReport& report);

// Each line as cells, the first one included; empty ones are passed over.
using Cells = std::vector<std::string_view>;
void forEachLine(const SourceTree& tree, const std::string& path, ImportReport& report,
    const std::function<void(std::int64_t line, const Cells& cells)>& take);

} // namespace trainscope::importers::operators
