#include "app/viewmodels/text/TextOf.h"

#include "core/text/Names.h"

#include <string>
#include <vector>

namespace trainscope::app {

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

} // namespace trainscope::app
