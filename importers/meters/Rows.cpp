#include "importers/meters/Rows.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "importers/common/ExporterMetrics.h"
#include "importers/common/MeterLog.h"
#include "importers/common/Number.h"
#include "importers/common/TextCleaning.h"
#include "importers/meters/Column.h"
#include "importers/meters/ColumnNames.h"
#include "importers/meters/MeterReader.h"

#include <cmath>
#include <cstring>

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
    return numberIn(column, value);
}

// "0.3/192.0 GB": of all; `storage` is used for what is cut out of the cell.
std::string_view usedOf(std::string_view cell, std::string& storage) {
    const std::size_t slash = cell.find('/');
    if (slash == std::string_view::npos)
        return cell;
    storage = cell.substr(0, slash);
    return storage.append(cell.substr(std::min(cell.find(' ', slash), cell.size())));
}

constexpr std::size_t kLongestName = 200;

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
        const auto stamp = parse(m_order.kind == nullptr ? text : plain);
        if (!stamp.hasValue()) {
            m_out.numbers.resize(before);
            return note(text, stamp.error().message);
        }
        BlockRow row{m_out.lines, stamp.value(), static_cast<int>(m_lastIdentity), -1};
        if (!m_badCell.empty()) {
            row.note = static_cast<int>(m_out.notes.size());
            m_out.notes.push_back({m_badCell, {}});
        }
        m_out.rows.push_back(row);
    }

    // Appends the numbers of the line. Errors (Unrecognised) say what the line is instead; nothing
    // where it is passed over.
    Result<Stamp> parse(std::string_view line) {
        const auto& cells = cellsOf(line);
        const std::size_t width = m_order.columns.size();
        const TableKind* kind = m_order.kind;
        if (kind != nullptr && isPassedOver(*kind, cells))
            return unrecognised({});
        // A separator at the end of the line makes an empty cell.
        const bool trailing = cells.size() == width + 1 && cells.back().empty();
        const Column& last = m_order.columns.back();
        const bool hasBlanks = last.role == Role::Part && cells.size() > width; // a command's name
        if (cells.size() != width && !trailing && !hasBlanks) {
            return unrecognised("The line has " + std::to_string(cells.size())
                + " cells instead of " + std::to_string(width) + ": " + meterExcerpt(line));
        }
        if (m_out.source->endsOpen && last.role == Role::Metric && last.decimals > 0 && !trailing
            && decimalPlaces(cells.back()) != last.decimals && !isMissingCell(cells.back()))
            return unrecognised("The file ends within this line: " + meterExcerpt(line));
        const auto stamp = stampOf(cells);
        if (!stamp)
            return unrecognised("The line has no time stamp: " + meterExcerpt(line));
        if (kind != nullptr)
            readSubject(*kind, cells);
        else
            RETURN_IF_ERROR(readIdentity(cells));
        const Column& field = m_out.identities[identityIndex()].field;
        bool any = false;
        for (std::size_t i = 0; i < width; ++i) {
            const Column& column
                = m_order.columns[i].role == Role::Value ? field : m_order.columns[i];
            const bool isMetric = column.role == Role::Metric;
            const double number = isMetric ? readNumber(column, cells[i]) : kMissing;
            m_out.numbers.push_back(number);
            any = any || !std::isnan(number) || (isMetric && isMissingCell(cells[i]));
        }
        // A GPU that is named is there, with or without numbers.
        if (!any && kind == nullptr && (m_order.gpu < 0 || m_order.hasDateLines))
            return unrecognised("The line has no numbers: " + meterExcerpt(line));
        return *stamp;
    }

    // Heads and what stands before the first, and rows of parts where totals are asked for.
    bool isPassedOver(const TableKind& kind, const std::vector<std::string_view>& cells) const {
        const auto& columns = m_order.columns;
        if (columns.empty() || isUnitLine(cells) || !kind.headOf(cells).empty())
            return true;
        if (!kind.onlyTotals)
            return false;
        for (std::size_t i = 0; i < columns.size() && cells.size() == columns.size(); ++i) {
            if (columns[i].role == Role::Part && cells[i] != "-")
                return true;
        }
        return cells.size() != columns.size();
    }

    std::optional<Stamp> stampOf(const std::vector<std::string_view>& cells) const {
        if (m_order.hasDateLines || m_order.stamp < 0)
            return Stamp{};
        const auto stamp = stampIn(m_order, cells);
        if (m_order.kind != nullptr)
            return stamp ? stamp : parseTimeOfDay(cells[static_cast<std::size_t>(m_order.stamp)]);
        const bool isOther = stamp
            && (stamp->kind == StampKind::Relative) != (m_order.clock == StampKind::Relative);
        return isOther ? std::nullopt : stamp;
    }

    const std::vector<std::string_view>& cellsOf(std::string_view line) {
        if (m_order.kind != nullptr)
            return m_tableCells.of(*m_order.kind, line, m_order.columns.size());
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
            cell(m_order.address), {}, {}};
        if (m_order.gpu >= 0 && (isMissingCell(m_who.gpu) || m_who.gpu.size() > 64))
            return unrecognised("The line does not say which GPU it is about.");
        if (isMissingCell(m_who.model) || m_who.model.size() > kLongestName)
            m_who.model = {};
        if (m_who.uuid.size() > kLongestName || m_who.host.size() > kLongestName
            || m_who.address.size() > kLongestName)
            return unrecognised("The line has a name of more than 200 characters.");
        return {};
    }

    void readSubject(const TableKind& kind, const std::vector<std::string_view>& cells) {
        m_who = {};
        for (std::string* text : {&m_subject, &m_device, &m_part})
            text->clear();
        std::string_view unit; // above the values of a long table
        for (std::size_t i = 0; i < m_order.columns.size(); ++i) {
            const std::string_view cell = trimmed(cells[i]).substr(0, kLongestName);
            const Column& column = m_order.columns[i];
            switch (column.role) {
            case Role::Gpu:
                m_subject = cell;
                break;
            case Role::Tile:
                m_subject += isMissingText(cell) ? std::string() : "." + std::string(cell);
                break;
            case Role::Partition:
                if (!isMissingText(cell) && cell != "0")
                    m_device.assign("partition ").append(cell);
                break;
            case Role::Part:
                m_part.append(1, '\n').append(cell);
                break;
            case Role::Field:
                m_part.append(m_part.empty() ? "" : " ").append(cell);
                break;
            case Role::Value:
                unit = findUnit(column.header) ? column.header : headerParts(column.header).unit;
                break;
            case Role::Host:
                m_who.host = cell;
                break;
            case Role::Name:
                m_who.model = cell;
                break;
            case Role::Uuid:
                m_who.uuid = cell;
                break;
            default:
                break;
            }
        }
        if (kind.field != nullptr && findUnit(unit))
            m_part.append(" ").append(unit);
        m_who.gpu = m_subject;
        m_who.device = m_device;
        m_who.part = m_part;
    }

    double readNumber(const Column& column, std::string_view cell) {
        const double number = readCell(column, cell);
        return m_order.kind != nullptr && m_order.kind->isDcgm && isDcgmBlank(number) ? kMissing
                                                                                      : number;
    }

    double readCell(const Column& column, std::string_view cell) {
        if (column.form == CellForm::Number) {
            std::string_view rest = cell;
            const auto usual = takePlainNumber(rest);
            if (usual && trimmed(rest) == column.cellUnit)
                return column.inFahrenheit ? celsiusOf(*usual) : *usual;
        }
        // Only of nodes, -1 is a number.
        const bool isOfNode = m_order.kind != nullptr && m_order.kind->subject != SubjectKind::Gpu;
        if (isOfNode ? isMissingText(cell) : isMissingCell(cell))
            return kMissing;
        if (cell.starts_with('(') && cell.ends_with(')'))
            cell = cell.substr(1, cell.size() - 2);
        std::string storage;
        if (column.metric.unit == "B")
            cell = usedOf(cell, storage);
        auto value = parseCell(cell, column.form);
        if (!value && m_order.kind != nullptr) {
            const auto other = formOf(cell); // "P0" and hex masks in a column of numbers
            value = other ? parseCell(cell, *other) : std::nullopt;
        }
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
    std::size_t identityIndex() {
        const std::size_t count = m_out.identities.size();
        for (std::size_t i = 1; i <= count; ++i) {
            const std::size_t at = (m_lastIdentity + i) % count;
            const RowIdentity& known = m_out.identities[at];
            if (known.gpu == m_who.gpu && known.host == m_who.host && known.uuid == m_who.uuid
                && known.model == m_who.model && known.address == m_who.address
                && known.part == m_who.part && known.device == m_who.device)
                return m_lastIdentity = at;
        }
        RowIdentity& made = m_out.identities.emplace_back(RowIdentity{std::string(m_who.host),
            std::string(m_who.gpu), std::string(m_who.model), std::string(m_who.uuid),
            std::string(m_who.address), std::string(m_who.device), std::string(m_who.part), {}});
        if (m_order.kind != nullptr && m_order.kind->field != nullptr
            && made.part.size() <= kLongestName)
            made.field = m_order.kind->field(made.part);
        return m_lastIdentity = count;
    }

    // Views into the line.
    struct Identity {
        std::string_view host;
        std::string_view gpu;
        std::string_view model;
        std::string_view uuid;
        std::string_view address;
        std::string_view device;
        std::string_view part;
    };
    const ColumnOrder& m_order;
    CellSplitter m_splitter;
    TableCells m_tableCells;
    std::vector<std::string> m_merged; // cells of a row with decimal commas
    std::vector<std::string_view> m_mergedCells;
    Identity m_who; // the line's at hand, as the texts below
    std::string m_subject;
    std::string m_device;
    std::string m_part;
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
