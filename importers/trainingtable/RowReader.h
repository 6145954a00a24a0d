#pragma once
// One row of a table of training runs (TrainingTable.h) as a job, or as the reason why it is none.

#include "core/model/AsciiText.h"
#include "importers/trainingtable/TrainingTable.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::trainingtable {

// Places of the columns; names in lower case.
class Head {
public:
    explicit Head(const std::vector<std::string_view>& cells) {
        for (std::size_t i = 0; i < cells.size(); ++i)
            m_columns.emplace(lowered(cells[i]), i);
    }
    [[nodiscard]] bool knows(const std::string& name) const { return m_columns.contains(name); }
    [[nodiscard]] std::string_view cell(
        const std::vector<std::string_view>& cells, std::string_view name) const {
        const auto found = m_columns.find(name);
        return found == m_columns.end() || found->second >= cells.size() ? std::string_view()
                                                                         : cells[found->second];
    }

private:
    std::map<std::string, std::size_t, std::less<>> m_columns;
};

TableRow readRow(const Head& head, const std::vector<std::string_view>& cells, int row,
    const catalogue::ModelCatalogue& catalogue);

} // namespace trainscope::importers::trainingtable
