#pragma once
// Texts of strangers as the window shows them (core/model/HarmlessText.h): names of files, paths,
// cells of a query, answers of engines, and errors that quote any of these. The store's texts are
// harmless already. Plain functions; any thread.

#include <QString>

#include <string_view>

namespace trainscope {
struct Error;
}

namespace trainscope::app {

QString shownText(std::string_view text);
// "where: message".
QString shownText(const Error& error);
// On one line.
QString shownLine(std::string_view text);
QString shownLine(const QString& text);

} // namespace trainscope::app
