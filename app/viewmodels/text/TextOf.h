#pragma once
// Texts of the core, which are UTF-8, as the window has them.

#include <QString>
#include <QStringList>

#include <string_view>

namespace trainscope::app {

inline QString textOf(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// Names of rows of one list, by place, without what all of them share (core/text/Names.h).
QStringList briefNames(const QStringList& names);

} // namespace trainscope::app
