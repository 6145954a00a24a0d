#pragma once
// The strokes of a row of the keys table, as they are printed. Rows for the pointer have
// none.

#include "app/manual/Keys.h"

#include <QKeySequence>
#include <QString>
#include <QStringList>

#include <array>
#include <utility>
#include <vector>

namespace trainscope::test {

inline QKeyCombination strokeOf(QString printed) {
    constexpr std::array symbols{std::pair{"←", "Left"}, std::pair{"→", "Right"},
        std::pair{"↑", "Up"}, std::pair{"↓", "Down"}, std::pair{"−", "-"}};
    for (const auto& [symbol, name] : symbols)
        printed.replace(QString::fromUtf8(symbol), QLatin1String(name));
    const auto sequence = QKeySequence::fromString(printed, QKeySequence::PortableText);
    return sequence.isEmpty() ? QKeyCombination() : sequence[0];
}

inline std::vector<QKeyCombination> strokesOf(const app::KeyEntry& entry) {
    std::vector<QKeyCombination> strokes;
    const QString printed = QString::fromStdString(app::shownKeys(entry));
    for (const QString& keys : printed.split(QStringLiteral("  "), Qt::SkipEmptyParts)) {
        const bool isOfPointer = keys.contains(QLatin1String("click"), Qt::CaseInsensitive)
            || keys.contains(QLatin1String("drag"), Qt::CaseInsensitive)
            || keys.contains(QLatin1String("Wheel")) || keys == QLatin1String("Pinch");
        if (!isOfPointer)
            strokes.push_back(strokeOf(keys));
    }
    return strokes;
}

} // namespace trainscope::test
