#pragma once
// Texts of the core, which are UTF-8, as the window has them.

#include <QString>

#include <string_view>

namespace trainscope::app {

inline QString textOf(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace trainscope::app
