#include "importers/common/NamedTable.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "importers/common/FileLines.h"

namespace trainscope::importers {

namespace {

constexpr int kLinesBeforeHeader = 200;

// "Start (ns)" → "start" and "ns".
std::pair<std::string, std::string> nameAndUnitOf(std::string_view cell) {
    const std::size_t open = cell.rfind('(');
    if (open == std::string_view::npos || !cell.ends_with(')') || open == 0)
        return {lowered(cell), {}};
    return {lowered(trimmed(cell.substr(0, open))),
        std::string(cell.substr(open + 1, cell.size() - open - 2))};
}

std::optional<TableHeader> headerOf(
    std::string_view line, std::initializer_list<std::string_view> required) {
    TableHeader header(line, separatorOf(line));
    return header.names.size() > 1 && header.hasAll(required) ? std::optional(std::move(header))
                                                              : std::nullopt;
}

} // namespace

TableHeader::TableHeader(std::string_view line, char sign)
    : TableHeader(CellSplitter().split(line, sign)) {
    separator = sign;
}

TableHeader::TableHeader(const std::vector<std::string_view>& cells) {
    for (const std::string_view cell : cells) {
        auto [name, unit] = nameAndUnitOf(cell);
        names.push_back(std::move(name));
        units.push_back(std::move(unit));
    }
}

int TableHeader::find(std::string_view name) const {
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

bool TableHeader::hasAll(std::initializer_list<std::string_view> required) const {
    return std::ranges::all_of(required, [this](std::string_view name) { return has(name); });
}

std::optional<TableHeader> headerIn(
    std::string_view text, std::initializer_list<std::string_view> required) {
    for (int line = 0; line < kLinesBeforeHeader && !text.empty(); ++line) {
        const std::size_t end = text.find('\n');
        if (auto header = headerOf(trimmed(text.substr(0, end)), required))
            return header;
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return std::nullopt;
}

std::string_view NamedRow::text(int column) const {
    return column >= 0 && static_cast<std::size_t>(column) < m_cells.size()
        ? m_cells[static_cast<std::size_t>(column)]
        : std::string_view();
}

std::optional<std::int64_t> NamedRow::integer(int column) const {
    return wholeNumber<std::int64_t>(text(column));
}

Status readTable(const SourceTree& tree, const std::string& path,
    std::initializer_list<std::string_view> required,
    const std::function<Status(const NamedRow&)>& visit, const Progress& progress,
    ImportReport& report) {
    std::optional<TableHeader> header;
    CellSplitter splitter;
    std::int64_t rows = 0;
    std::int64_t shortRows = 0;
    const auto take = [&](std::string_view line, std::int64_t number) -> Status {
        const std::string_view text = trimmed(line);
        if (text.empty())
            return {};
        if (!header) {
            if (number <= kLinesBeforeHeader)
                header = headerOf(text, required);
            return {};
        }
        const auto& cells = splitter.split(text, header->separator);
        if (cells.size() < header->names.size()) {
            ++shortRows;
            return {};
        }
        ++rows;
        return visit(NamedRow(*header, cells));
    };
    RETURN_IF_ERROR(readLines(tree, path, "Reading the table", progress, report, take));
    report.rows += rows;
    report.skipped += shortRows;
    if (shortRows > 0)
        report.lost(path, 0, "rows without all columns are left out");
    return {};
}

} // namespace trainscope::importers
