#include "importers/meters/ColumnNames.h"

#include "core/model/AsciiText.h"
#include "importers/common/MetricWords.h"

#include <algorithm>
#include <set>
#include <string>

namespace trainscope::importers::meters {

namespace {

bool isNamed(std::string_view names, std::string_view header) {
    while (!names.empty()) {
        const std::size_t end = std::min(names.find('|'), names.size());
        if (equalsIgnoringCase(names.substr(0, end), header))
            return true;
        names.remove_prefix(std::min(end + 1, names.size()));
    }
    return false;
}

} // namespace

const ColumnName* findColumn(std::span<const ColumnName> names, std::string_view header) {
    header = trimmed(header);
    const auto row = std::find_if(names.begin(), names.end(),
        [header](const ColumnName& name) { return isNamed(name.names, header); });
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

MeterColumn columnNamed(std::span<const ColumnName> names, std::string_view header) {
    MeterColumn column;
    column.header = trimmed(header);
    const HeaderParts parts = headerParts(header);
    const ColumnName* row = findColumn(names, header);
    if (row == nullptr)
        row = findColumn(names, parts.base);
    if (row == nullptr) {
        column.role = ColumnRole::Metric;
        column.what = ownMeterSeries(parts.base, parts.unit);
        column.isOwn = true;
        return column;
    }
    column.role = row->role;
    if (row->role == ColumnRole::Metric)
        column.what
            = meterSeries(row->metric, parts.unit.empty() ? row->unit : parts.unit, row->sensor);
    return column;
}

void adoptWords(std::vector<MeterColumn>& columns) {
    std::set<std::string> taken;
    for (const MeterColumn& column : columns) {
        if (column.role == ColumnRole::Metric && !column.isOwn)
            taken.insert(column.what.metric.name + column.whose);
    }
    for (MeterColumn& column : columns) {
        const auto key = column.isOwn ? metricOfKey(column.header) : std::nullopt;
        // The brackets may hold a sensor's name.
        if (!key || (!key->unit.empty() && !findUnit(key->unit) && !isFahrenheit(key->unit)))
            continue;
        std::string whose = key->gpu ? "GPU " + std::to_string(*key->gpu)
            : key->metric.isOfNode   ? "this node"
                                     : column.whose;
        if (!taken.insert(std::string(key->metric.metric) + whose).second)
            continue;
        column.what = meterSeries(key->metric.metric,
            key->unit.empty() ? key->metric.unit : std::string_view(key->unit), key->metric.sensor);
        column.whose = std::move(whose);
        column.isOwn = false;
    }
}

} // namespace trainscope::importers::meters
