#pragma once
// Texts for QML: those of the core, which are UTF-8; texts of strangers as the window shows them
// (core/model/HarmlessText.h): names of files, cells of a query, answers of engines, and errors
// that quote any of these, while the store's texts are harmless already; tables for the clipboard,
// as lines of cells between tabs, which spreadsheets do not compute. Plain functions; any thread.

#include <QString>
#include <QStringList>

#include <functional>
#include <span>
#include <string_view>
#include <type_traits>

namespace trainscope {
struct Error;
namespace text {
struct Table;
}
} // namespace trainscope

namespace trainscope::app {

inline QString textOf(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// Texts of all that is in `range`, by what `of` is of each.
template <typename Range, typename Of = std::identity>
QStringList listOf(const Range& range, const Of& of = {}) {
    QStringList texts;
    for (const auto& one : range) {
        const auto& text = std::invoke(of, one);
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(text)>, QString>)
            texts.append(text);
        else
            texts.append(textOf(text));
    }
    return texts;
}

QString joinedNumbers(std::span<const int> numbers, std::string_view between);

// Names of rows of one list, by place, without what all of them share (core/text/Names.h).
QStringList briefNames(const QStringList& names);

QString shownText(std::string_view text);
// "where: message".
QString shownText(const Error& error);
// On one line.
QString shownLine(std::string_view text);
QString shownLine(const QString& text);

// With the line's end.
QString tabbedLine(const QStringList& cells);
// Titles of the columns, and the rows in words.
QString tabbedText(const text::Table& table);

} // namespace trainscope::app
