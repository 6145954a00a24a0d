#pragma once
// Tables for the clipboard: lines of cells between tabs, which spreadsheets do not compute. Plain
// functions; any thread.

#include "core/text/Table.h"

#include <QString>
#include <QStringList>

namespace trainscope::app {

// With the line's end.
QString tabbedLine(const QStringList& cells);
// Titles of the columns, and the rows in words.
QString tabbedText(const text::Table& table);

} // namespace trainscope::app
