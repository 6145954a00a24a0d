#include "core/report/QueryText.h"

#include "core/text/Table.h"

#include <fmt/format.h>

namespace trainscope::report {

namespace {

using store::SqlValue;

std::string hex(const std::string& bytes) {
    std::string text;
    for (const char c : bytes)
        text += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return text;
}

template <typename Cell, typename TextOf>
std::string line(const std::vector<Cell>& cells, char between, const TextOf& textOf) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i > 0)
            text += between;
        text += textOf(cells[i]);
    }
    return text + '\n';
}

} // namespace

std::string plainText(const SqlValue& value) {
    switch (value.type) {
    case SqlValue::Type::Integer:
        return std::to_string(value.integer);
    case SqlValue::Type::Real:
        return fmt::format("{}", value.real);
    case SqlValue::Type::Text:
        return value.text;
    case SqlValue::Type::Blob:
        return hex(value.text);
    case SqlValue::Type::Null:
        break;
    }
    return {};
}

std::string csvLine(const std::vector<std::string>& names) {
    return line(names, ',', [](const std::string& name) { return text::csvCell(name); });
}
std::string csvLine(const std::vector<SqlValue>& values) {
    return line(values, ',', [](const SqlValue& value) { return text::csvCell(plainText(value)); });
}
std::string tsvLine(const std::vector<std::string>& names) {
    return line(names, '\t', text::tsvCell);
}
std::string tsvLine(const std::vector<SqlValue>& values) {
    return line(
        values, '\t', [](const SqlValue& value) { return text::tsvCell(plainText(value)); });
}

} // namespace trainscope::report
