#include "importers/meters/ColumnNames.h"

#include "core/model/AsciiText.h"

namespace trainscope::importers::meters {

const ColumnName* findColumn(std::span<const ColumnName> names, std::string_view header) {
    header = trimmed(header);
    for (const ColumnName& row : names) {
        for (const std::string_view name : words(row.names, "|")) {
            if (equalsIgnoringCase(name, header))
                return &row;
        }
    }
    return nullptr;
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
        column.role = MeterColumn::Role::Metric;
        column.what = ownMeterSeries(parts.base, parts.unit);
        column.isOwn = true;
        return column;
    }
    column.role = row->role;
    if (row->role == MeterColumn::Role::Metric)
        column.what
            = meterSeries(row->metric, parts.unit.empty() ? row->unit : parts.unit, row->sensor);
    return column;
}

} // namespace trainscope::importers::meters
