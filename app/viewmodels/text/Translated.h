#pragma once
// Texts of the window outside of QObjects, which have tr().

#include <QCoreApplication>
#include <QString>

#include <string_view>

namespace trainscope::app {

inline QString translated(const char* text) {
    return QCoreApplication::translate("Trainscope", text);
}

inline QString textOf(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace trainscope::app
