#include "importers/meters/ColumnNames.h"

#include "core/model/AsciiText.h"
#include "importers/common/MetricWords.h"
#include "importers/meters/MeterReader.h"

namespace trainscope::importers::meters {

const ColumnName* findColumn(std::span<const ColumnName> names, std::string_view header) {
    header = trimmed(header);
    const auto row = std::find_if(names.begin(), names.end(),
        [header](const ColumnName& name) { return isOneOf(header, name.names); });
    return row == names.end() ? nullptr : &*row;
}

HeaderParts headerParts(std::string_view header) {
    header = trimmed(header);
    if (header.ends_with(':'))
        header.remove_suffix(1);
    const bool isRound = header.ends_with(')');
    const std::size_t open = header.rfind(isRound ? '(' : '[');
    if ((!isRound && !header.ends_with(']')) || open == std::string_view::npos)
        return {header, {}};
    return {trimmed(header.substr(0, open)),
        trimmed(header.substr(open + 1, header.size() - open - 2))};
}

Column partOf(ColumnRole role, std::string_view header) {
    Column column;
    column.role = role;
    column.header = trimmed(header);
    return column;
}

Column metricColumn(std::string_view header, const SeriesDescription& what, bool certain) {
    Column column = partOf(ColumnRole::Metric, header);
    static_cast<SeriesDescription&>(column) = what;
    column.certain = certain;
    return column;
}

Column columnNamed(std::span<const ColumnName> names, std::string_view header) {
    const HeaderParts parts = headerParts(header);
    const ColumnName* row = findColumn(names, header);
    if (row == nullptr)
        row = findColumn(names, parts.base);
    if (row == nullptr)
        return metricColumn(header, ownMeterSeries(parts.base, parts.unit), false);
    return row->role != ColumnRole::Metric
        ? partOf(row->role, header)
        : metricColumn(header,
            meterSeries(row->metric, parts.unit.empty() ? row->unit : parts.unit, row->sensor));
}

void adoptWords(std::vector<Column>& columns) {
    std::set<std::string> taken;
    for (const Column& column : columns) {
        if (column.role == ColumnRole::Metric && column.certain)
            taken.insert(column.metric.name + column.whose);
    }
    for (Column& column : columns) {
        const bool isOwn = column.role == ColumnRole::Metric && !column.certain;
        const auto key = isOwn ? metricOfKey(column.header) : std::nullopt;
        // The brackets may hold a sensor's name.
        if (!key || (!key->unit.empty() && !findUnit(key->unit) && !isFahrenheit(key->unit)))
            continue;
        std::string whose = key->gpu ? "GPU " + std::to_string(*key->gpu)
            : key->metric.isOfNode   ? "this node"
                                     : column.whose;
        if (!taken.insert(std::string(key->metric.metric) + whose).second)
            continue;
        const std::string_view unit = key->unit.empty() ? key->metric.unit : key->unit;
        column = metricColumn(
            column.header, meterSeries(key->metric.metric, unit, key->metric.sensor));
        column.whose = std::move(whose);
    }
}

std::vector<Column> TableKind::headOf(std::span<const std::string_view> cells) const {
    constexpr std::size_t kMostColumns = 4096;
    const bool mayBe = !cells.empty() && cells.size() <= kMostColumns && !cells.front().empty()
        && !isDigit(cells.front().front()); // no column is called so
    return mayBe ? columns(cells) : std::vector<Column>{};
}

const std::vector<std::string_view>& TableCells::of(
    const TableKind& kind, std::string_view line, std::size_t width) {
    if (!kind.isDcgm || kind.separator != ' ')
        return m_splitter.split(line, kind.separator, width);
    m_cells = words(line, " \t");
    // "GPU 0", "GPU-I 3": the subject is two words.
    if (m_cells.size() > 1 && !m_cells[0].starts_with('#')
        && m_cells[0].find_first_of("0123456789") == std::string_view::npos) {
        const char* const begin = m_cells[0].data();
        m_cells[1]
            = {begin, static_cast<std::size_t>(m_cells[1].data() + m_cells[1].size() - begin)};
        m_cells.erase(m_cells.begin());
    }
    return m_cells;
}

bool isUnitLine(std::span<const std::string_view> cells) {
    constexpr std::string_view kFirst = "id|#|idx|#idx|# idx|# id|#yyyymmdd|#hh:mm:ss";
    return !cells.empty()
        && (isOneOf(cells.front(), kFirst) || lowered(cells.front().substr(0, 3)) == "id ");
}

} // namespace trainscope::importers::meters
