#include "importers/meters/Rows.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "importers/common/Cells.h"
#include "importers/common/MeterLog.h"
#include "importers/common/Number.h"
#include "importers/common/TextCleaning.h"
#include "importers/meters/Guess.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace trainscope::importers::meters::smi {

namespace {

using Role = ColumnRole;

Error unrecognised(std::string message) {
    return {ErrorCode::Unrecognised, std::move(message), {}};
}

// Power, clocks, memory and shares are never below zero.
bool canBe(const Column& column, double number) {
    return number >= 0.0 || !column.certain || column.metric.unit == "°C";
}

// Absent where the value has a unit of another quantity, or lacks the one that its column repeats.
std::optional<double> inUnitOf(const Column& column, const CellValue& value) {
    if (value.unit == column.cellUnit)
        return column.inFahrenheit ? celsiusOf(value.number) : value.number;
    if (column.form == CellForm::Number && value.unit.empty())
        return std::nullopt;
    if (isFahrenheit(value.unit) && column.metric.unit == "°C")
        return celsiusOf(value.number);
    const auto unit = findUnit(value.unit);
    if (unit && unit->si == column.metric.unit)
        return value.number * (unit->scale / column.scale);
    return std::nullopt;
}

constexpr std::size_t kUsualRow = 64; // bytes, for the first guess at the number of rows

class Reader {
public:
    Reader(std::shared_ptr<const LineBlock> block, std::shared_ptr<const ColumnOrder> order)
        : m_order(*order) {
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
        const std::size_t before = m_out.numbers.size();
        m_badCell.clear();
        const auto stamp = parse(text);
        if (!stamp.hasValue()) {
            m_out.numbers.resize(before);
            return note(text, stamp.error().message);
        }
        BlockRow row{m_out.lines, stamp.value(), identityIndex(), -1};
        if (!m_badCell.empty()) {
            row.note = static_cast<int>(m_out.notes.size());
            m_out.notes.push_back({m_badCell, {}});
        }
        m_out.rows.push_back(row);
    }

    // Appends the numbers of the line. Errors (Unrecognised) say what the line is instead.
    Result<Stamp> parse(std::string_view line) {
        const auto& cells = cellsOf(line);
        const std::size_t width = m_order.columns.size();
        // A separator at the end of the line makes an empty cell.
        const bool trailing = cells.size() == width + 1 && cells.back().empty();
        if (cells.size() != width && !trailing) {
            return unrecognised("The line has " + std::to_string(cells.size())
                + " cells instead of " + std::to_string(width) + ": " + meterExcerpt(line));
        }
        const Column& last = m_order.columns.back();
        if (m_out.source->endsOpen && last.role == Role::Metric && last.decimals > 0 && !trailing
            && decimalPlaces(cells.back()) != last.decimals && !isMissingCell(cells.back()))
            return unrecognised("The file ends within this line: " + meterExcerpt(line));
        const auto stamp = m_order.hasDateLines ? Stamp{} : stampIn(m_order, cells);
        const bool isOther = stamp && !m_order.hasDateLines
            && (stamp->kind == StampKind::Relative) != (m_order.clock == StampKind::Relative);
        if (!stamp || isOther)
            return unrecognised("The line has no time stamp: " + meterExcerpt(line));
        RETURN_IF_ERROR(readIdentity(cells));
        bool any = false;
        for (std::size_t i = 0; i < width; ++i) {
            const bool isMetric = m_order.columns[i].role == Role::Metric;
            const double number = isMetric ? readNumber(m_order.columns[i], cells[i]) : kMissing;
            m_out.numbers.push_back(number);
            any = any || !std::isnan(number) || (isMetric && isMissingCell(cells[i]));
        }
        // A GPU that is named is there, with or without numbers.
        if (!any && (m_order.gpu < 0 || m_order.hasDateLines))
            return unrecognised("The line has no numbers: " + meterExcerpt(line));
        return *stamp;
    }

    const std::vector<std::string_view>& cellsOf(std::string_view line) {
        const auto& cells = m_splitter.split(line, m_order.separator, m_order.columns.size());
        if (m_order.decimals.empty() || !mergeDecimals(m_order, cells, m_merged))
            return cells;
        m_mergedCells.assign(m_merged.begin(), m_merged.end());
        return m_mergedCells;
    }

    Status readIdentity(const std::vector<std::string_view>& cells) {
        const auto cell = [&cells](int column) {
            return column < 0 ? std::string_view() : cells[static_cast<std::size_t>(column)];
        };
        m_who = {cell(m_order.host), cell(m_order.gpu), cell(m_order.name), cell(m_order.uuid),
            cell(m_order.address)};
        if (m_order.gpu >= 0 && (isMissingCell(m_who.gpu) || m_who.gpu.size() > 64))
            return unrecognised("The line does not say which GPU it is about.");
        if (isMissingCell(m_who.model) || m_who.model.size() > 200)
            m_who.model = {};
        if (m_who.uuid.size() > 200 || m_who.host.size() > 200 || m_who.address.size() > 200)
            return unrecognised("The line has a name of more than 200 characters.");
        return {};
    }

    double readNumber(const Column& column, std::string_view cell) {
        if (column.form == CellForm::Number) {
            std::string_view rest = cell;
            const auto usual = takePlainNumber(rest);
            if (usual && trimmed(rest) == column.cellUnit)
                return column.inFahrenheit ? celsiusOf(*usual) : *usual;
        }
        if (isMissingCell(cell))
            return kMissing;
        const auto value = parseCell(cell, column.form);
        if (value && canBe(column, value->number)) {
            if (const auto number = inUnitOf(column, *value))
                return *number;
        }
        if (m_badCell.empty())
            m_badCell = "\"" + meterExcerpt(cell) + "\" in column \"" + column.header
                + "\" is no number of that column; taken as missing.";
        return kMissing;
    }

    void note(std::string_view text, std::string problem) {
        m_out.rows.push_back({m_out.lines, {}, -1, static_cast<int>(m_out.notes.size())});
        m_out.notes.push_back({std::move(problem), std::string(text)});
        m_out.numbers.resize(m_out.numbers.size() + m_out.order->columns.size(), kMissing);
    }

    // GPUs take turns: the one behind that of the last row is the likeliest.
    int identityIndex() {
        const std::size_t count = m_out.identities.size();
        for (std::size_t i = 1; i <= count; ++i) {
            const std::size_t at = (m_lastIdentity + i) % count;
            const RowIdentity& known = m_out.identities[at];
            if (known.gpu == m_who.gpu && known.host == m_who.host && known.uuid == m_who.uuid
                && known.model == m_who.model && known.address == m_who.address) {
                m_lastIdentity = at;
                return static_cast<int>(at);
            }
        }
        m_lastIdentity = count;
        m_out.identities.push_back({std::string(m_who.host), std::string(m_who.gpu),
            std::string(m_who.model), std::string(m_who.uuid), std::string(m_who.address)});
        return static_cast<int>(count);
    }

    // Views into the line.
    struct Identity {
        std::string_view host;
        std::string_view gpu;
        std::string_view model;
        std::string_view uuid;
        std::string_view address;
    };
    const ColumnOrder& m_order;
    CellSplitter m_splitter;
    std::vector<std::string> m_merged; // cells of a row with decimal commas
    std::vector<std::string_view> m_mergedCells;
    Identity m_who; // of the line at hand, as m_badCell
    std::string m_badCell; // the first cell that is neither a number nor a missing marker
    RowBlock m_out;
    std::size_t m_lastIdentity = 0;
};

} // namespace

std::vector<ColumnGroup> columnGroups(const std::vector<Column>& columns) {
    std::map<int, ColumnGroup> groups;
    ColumnGroup node{-1, true, {}};
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].role != Role::Metric)
            continue;
        ColumnGroup& group = columns[i].ofNode ? node : groups[columns[i].gpu];
        group.gpu = columns[i].gpu;
        group.columns.push_back(i);
    }
    // In a wide file the columns without a GPU are totals of the node: there is no GPU to give them
    // to.
    if (groups.size() > 1)
        groups.erase(-1);
    std::vector<ColumnGroup> result;
    for (auto& [gpu, group] : groups)
        result.push_back(std::move(group));
    if (!node.columns.empty())
        result.push_back(std::move(node));
    return result;
}

RowBlock readRows(std::shared_ptr<const LineBlock> block, std::shared_ptr<const ColumnOrder> order,
    std::int64_t firstLine) {
    return Reader(std::move(block), std::move(order)).read(firstLine);
}

} // namespace trainscope::importers::meters::smi
