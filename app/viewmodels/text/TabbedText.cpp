#include "app/viewmodels/text/TabbedText.h"

#include "core/report/QueryText.h"

#include <string>
#include <vector>

namespace trainscope::app {

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
