#include "app/viewmodels/text/ShownText.h"

#include "core/model/HarmlessText.h"
#include "core/model/Result.h"

namespace trainscope::app {

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

} // namespace trainscope::app
