#include "importers/nvsmi/RowParser.h"

#include "core/model/AsciiText.h"
#include "importers/common/Number.h"
#include "importers/nvsmi/Unit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace trainscope::importers::nvsmi {

namespace {

using Role = Column::Role;

Error unrecognised(std::string message) {
    return {ErrorCode::Unrecognised, std::move(message), {}};
}

std::string excerpt(std::string_view text) {
    constexpr std::size_t kLongest = 80;
    std::string result(text.substr(0, kLongest));
    for (char& c : result)
        c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    return text.size() > kLongest ? result + "…" : result;
}

} // namespace

std::vector<ColumnGroup> columnGroups(const std::vector<Column>& columns) {
    std::map<int, ColumnGroup> groups;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].role != Role::Metric)
            continue;
        groups[columns[i].gpu].gpu = columns[i].gpu;
        groups[columns[i].gpu].columns.push_back(i);
    }
    // In a wide file the columns without a GPU are totals of the node: there is no GPU to give them
    // to.
    if (groups.size() > 1)
        groups.erase(-1);
    std::vector<ColumnGroup> result;
    for (auto& [gpu, group] : groups)
        result.push_back(std::move(group));
    return result;
}

Result<const ParsedRow*> RowParser::parse(std::string_view line) {
    const auto& cells = m_splitter.split(line, m_layout.separator);
    const std::size_t width = m_layout.columns.size();
    // A separator at the end of the line makes an empty cell.
    const bool trailing = cells.size() == width + 1 && cells.back().empty();
    if (cells.size() != width && !trailing) {
        return unrecognised("The line has " + std::to_string(cells.size()) + " cells instead of "
            + std::to_string(width) + ": " + excerpt(line));
    }
    const auto stamp = parseStamp(cells[static_cast<std::size_t>(m_layout.stamp)]);
    if (!stamp || (stamp->kind == StampKind::Relative) != (m_layout.clock == StampKind::Relative))
        return unrecognised("The line has no time stamp: " + excerpt(line));
    m_row.stamp = *stamp;
    if (const Status status = readIdentity(cells); !status.hasValue())
        return status.error();
    m_row.badCell.clear();
    m_row.numbers.assign(width, kMissing);
    bool any = false;
    for (std::size_t i = 0; i < width; ++i) {
        if (m_layout.columns[i].role != Role::Metric)
            continue;
        m_row.numbers[i] = readNumber(m_layout.columns[i], cells[i]);
        any = any || !std::isnan(m_row.numbers[i]) || isMissingCell(cells[i]);
    }
    if (!any)
        return unrecognised("The line has no numbers: " + excerpt(line));
    return &m_row;
}

Status RowParser::readIdentity(const std::vector<std::string_view>& cells) {
    const auto cell = [&cells](int column) {
        return column < 0 ? std::string_view() : cells[static_cast<std::size_t>(column)];
    };
    m_row.host = cell(m_layout.host);
    m_row.gpu = cell(m_layout.gpu);
    m_row.model = cell(m_layout.name);
    m_row.uuid = cell(m_layout.uuid);
    if (m_layout.gpu >= 0 && (isMissingCell(m_row.gpu) || m_row.gpu.size() > 64))
        return unrecognised("The line does not say which GPU it is about.");
    if (isMissingCell(m_row.model) || m_row.model.size() > 200)
        m_row.model = {};
    if (m_row.uuid.size() > 200 || m_row.host.size() > 200)
        return unrecognised("The line has a name of more than 200 characters.");
    return {};
}

double RowParser::readNumber(const Column& column, std::string_view cell) {
    if (column.form == CellForm::Number) {
        std::string_view rest = cell;
        const auto usual = takePlainNumber(rest);
        if (usual && trimmed(rest) == column.cellUnit)
            return *usual;
    }
    if (isMissingCell(cell))
        return kMissing;
    const auto value = parseCell(cell, column.form);
    if (value && value->unit == column.cellUnit)
        return value->number;
    const bool cutOff = value && value->unit.empty() && column.form == CellForm::Number;
    const auto unit = value && !cutOff ? findUnit(value->unit) : std::nullopt;
    if (unit && unit->si == column.metric.unit)
        return value->number * (unit->scale / column.scale);
    if (m_row.badCell.empty())
        m_row.badCell = "\"" + excerpt(cell) + "\" in column \"" + column.header
            + "\" is no number of that column; taken as missing.";
    return kMissing;
}

} // namespace trainscope::importers::nvsmi
