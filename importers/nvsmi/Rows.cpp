#include "importers/nvsmi/Rows.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "importers/common/Number.h"
#include "importers/common/TextCleaning.h"
#include "importers/nvsmi/Cells.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

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
    const auto& cells = m_splitter.split(line, m_order.separator);
    const std::size_t width = m_order.columns.size();
    // A separator at the end of the line makes an empty cell.
    const bool trailing = cells.size() == width + 1 && cells.back().empty();
    if (cells.size() != width && !trailing) {
        return unrecognised("The line has " + std::to_string(cells.size()) + " cells instead of "
            + std::to_string(width) + ": " + excerpt(line));
    }
    const auto stamp = parseStamp(cells[static_cast<std::size_t>(m_order.stamp)]);
    if (!stamp || (stamp->kind == StampKind::Relative) != (m_order.clock == StampKind::Relative))
        return unrecognised("The line has no time stamp: " + excerpt(line));
    m_row.stamp = *stamp;
    RETURN_IF_ERROR(readIdentity(cells));
    m_row.badCell.clear();
    m_row.numbers.assign(width, kMissing);
    bool any = false;
    for (std::size_t i = 0; i < width; ++i) {
        if (m_order.columns[i].role != Role::Metric)
            continue;
        m_row.numbers[i] = readNumber(m_order.columns[i], cells[i]);
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
    m_row.host = cell(m_order.host);
    m_row.gpu = cell(m_order.gpu);
    m_row.model = cell(m_order.name);
    m_row.uuid = cell(m_order.uuid);
    if (m_order.gpu >= 0 && (isMissingCell(m_row.gpu) || m_row.gpu.size() > 64))
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

namespace {

constexpr std::size_t kUsualRow = 64; // bytes, for the first guess at the number of rows

class Reader {
public:
    Reader(std::shared_ptr<const LineBlock> block, std::shared_ptr<const ColumnOrder> order)
        : m_parser(*order) {
        m_out.source = std::move(block);
        m_out.order = std::move(order);
        const std::size_t rows = m_out.source->size / kUsualRow;
        m_out.rows.reserve(rows);
        m_out.numbers.reserve(rows * m_out.order->columns.size());
    }

    RowBlock read(std::int64_t firstLine) {
        const char* p = m_out.source->bytes.get();
        const char* const end = p + m_out.source->size;
        while (p < end) {
            const auto* lineEnd
                = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
            ++m_out.lines;
            if (m_out.lines >= firstLine)
                line({p, static_cast<std::size_t>(lineEnd - p)});
            p = lineEnd + 1;
        }
        return std::move(m_out);
    }

private:
    void line(std::string_view text) {
        if (m_out.source->isCut || text.size() > RowBlock::kLongestLine)
            return note({}, "The line is longer than 1 MiB.");
        if (text.ends_with('\r'))
            text.remove_suffix(1);
        if (std::memchr(text.data(), '\x1b', text.size()) == nullptr)
            return row(text);
        row(withoutEscapes(text));
    }

    void row(std::string_view text) {
        const std::string_view plain = trimmed(text);
        if (plain.empty() || plain == "\"")
            return;
        const auto parsed = m_parser.parse(text);
        if (!parsed.hasValue())
            return note(text, parsed.error().message);
        const ParsedRow& found = *parsed.value();
        BlockRow row{m_out.lines, found.stamp, identityOf(found), -1};
        if (!found.badCell.empty()) {
            row.note = static_cast<int>(m_out.notes.size());
            m_out.notes.push_back({found.badCell, {}});
        }
        m_out.rows.push_back(row);
        m_out.numbers.insert(m_out.numbers.end(), found.numbers.begin(), found.numbers.end());
    }

    void note(std::string_view text, std::string problem) {
        m_out.rows.push_back({m_out.lines, {}, -1, static_cast<int>(m_out.notes.size())});
        m_out.notes.push_back({std::move(problem), std::string(text)});
        m_out.numbers.resize(m_out.numbers.size() + m_out.order->columns.size(), kMissing);
    }

    // GPUs take turns: the one behind that of the last row is the likeliest.
    int identityOf(const ParsedRow& row) {
        const std::size_t count = m_out.identities.size();
        for (std::size_t i = 1; i <= count; ++i) {
            const std::size_t at = (m_lastIdentity + i) % count;
            const RowIdentity& known = m_out.identities[at];
            if (known.gpu == row.gpu && known.host == row.host && known.uuid == row.uuid
                && known.model == row.model) {
                m_lastIdentity = at;
                return static_cast<int>(at);
            }
        }
        m_lastIdentity = count;
        m_out.identities.push_back({std::string(row.host), std::string(row.gpu),
            std::string(row.model), std::string(row.uuid)});
        return static_cast<int>(count);
    }

    RowParser m_parser;
    RowBlock m_out;
    std::size_t m_lastIdentity = 0;
};

} // namespace

RowBlock readRows(std::shared_ptr<const LineBlock> block, std::shared_ptr<const ColumnOrder> order,
    std::int64_t firstLine) {
    return Reader(std::move(block), std::move(order)).read(firstLine);
}

} // namespace trainscope::importers::nvsmi
