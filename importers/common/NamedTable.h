#pragma once
// A table as text whose columns have names: these stand in its header, which may stand below other
// lines; units in brackets behind names are kept apart.

#include "importers/common/Cells.h"
#include "importers/common/Source.h"

#include <initializer_list>

namespace trainscope::importers {

struct TableHeader {
    TableHeader(std::string_view line, char separator);
    explicit TableHeader(const std::vector<std::string_view>& cells);

    std::vector<std::string> names; // in lower case, without units
    std::vector<std::string> units; // "ns", "MB"; empty: none
    char separator = ',';

    [[nodiscard]] int find(std::string_view name) const; // -1: there is none
    [[nodiscard]] bool has(std::string_view name) const { return find(name) >= 0; }
    [[nodiscard]] bool hasAll(std::initializer_list<std::string_view> required) const;
};

// Finds the header in the first lines of a text: the first line that has two columns or more with
// letters, and all of these.
std::optional<TableHeader> headerIn(
    std::string_view text, std::initializer_list<std::string_view> required);

class NamedRow {
public:
    NamedRow(const TableHeader& header, const std::vector<std::string_view>& cells)
        : m_header(header)
        , m_cells(cells) { }
    // Empty where the column or the cell is not there.
    [[nodiscard]] std::string_view text(int column) const;
    [[nodiscard]] std::string_view text(std::string_view name) const {
        return text(m_header.find(name));
    }
    [[nodiscard]] std::optional<std::int64_t> integer(int column) const;
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const {
        return integer(m_header.find(name));
    }

private:
    const TableHeader& m_header;
    const std::vector<std::string_view>& m_cells;
};

// Visits the rows below the header that has `required`. Rows, bytes, and what cannot be read go
// into the report.
Status readTable(const SourceTree& tree, const std::string& path,
    std::initializer_list<std::string_view> required,
    const std::function<Status(const NamedRow&)>& visit, const Progress& progress,
    ImportReport& report);

} // namespace trainscope::importers
