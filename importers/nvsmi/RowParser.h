#pragma once
// One line of a log as stamp, GPU and numbers, by a layout.

#include "core/model/Result.h"
#include "importers/nvsmi/Cells.h"
#include "importers/nvsmi/Layout.h"

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::nvsmi {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Columns that belong to one GPU: all of them, or in a wide file those of one GPU.
struct ColumnGroup {
    int gpu = -1; // -1: the GPU that the row names
    std::vector<std::size_t> columns;
};
std::vector<ColumnGroup> columnGroups(const std::vector<Column>& columns);

struct ParsedRow {
    Stamp stamp;
    std::string_view host;
    std::string_view gpu; // empty: not named
    std::string_view model;
    std::string_view uuid;
    std::vector<double> numbers; // by column; NaN: missing or not a number
    std::string badCell; // the first cell that is neither a number nor a missing marker
};

class RowParser {
public:
    explicit RowParser(const Layout& layout)
        : m_layout(layout) { }

    // Valid until the next call. Errors (Unrecognised) say what the line is instead.
    Result<const ParsedRow*> parse(std::string_view line);

private:
    Status readIdentity(const std::vector<std::string_view>& cells);
    [[nodiscard]] double readNumber(const Column& column, std::string_view cell);

    const Layout& m_layout;
    CellSplitter m_splitter;
    ParsedRow m_row;
};

} // namespace trainscope::importers::nvsmi
