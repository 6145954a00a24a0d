#include "app/viewmodels/text/Texts.h"

#include "core/model/HarmlessText.h"
#include "core/model/Result.h"
#include "core/report/QueryText.h"
#include "core/text/Names.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace trainscope::app {

QString joinedNumbers(std::span<const int> numbers, std::string_view between) {
    return QString::fromStdString(fmt::format("{}", fmt::join(numbers, between)));
}

QStringList briefNames(const QStringList& names) {
    std::vector<std::string> plain;
    plain.reserve(static_cast<std::size_t>(names.size()));
    for (const QString& name : names)
        plain.push_back(name.toStdString());
    QStringList brief;
    for (const std::string& name : text::tellingNames(plain))
        brief.append(textOf(name));
    return brief;
}

QString shownText(std::string_view text) {
    return QString::fromStdString(harmless(text));
}

QString shownText(const Error& error) {
    return shownText(error.describe());
}

QString shownLine(std::string_view text) {
    return QString::fromStdString(harmlessLine(text));
}

QString shownLine(const QString& text) {
    return shownLine(text.toStdString());
}

QString tabbedLine(const QStringList& cells) {
    std::vector<std::string> texts;
    for (const QString& cell : cells)
        texts.push_back(cell.toStdString());
    return QString::fromStdString(report::tsvLine(texts));
}

QString tabbedText(const text::Table& table) {
    std::vector<std::string> heads;
    for (const auto& column : table.columns)
        heads.push_back(column.title);
    std::string text = report::tsvLine(heads);
    for (const auto& row : table.inWords())
        text += report::tsvLine(row);
    return QString::fromStdString(text);
}

} // namespace trainscope::app
