#pragma once
// Constants of predictions as they were estimated before any was fitted: a source that was never
// seen is tried with them.

#include "core/predict/cost/Rates.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace trainscope::test {

// [value, source, estimate where it was fitted] of each entry, at any depth below.
inline QJsonObject estimated(QJsonObject entries) {
    for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
        if (entry->isObject())
            *entry = estimated(entry->toObject());
        else if (const QJsonArray list = entry->toArray(); !list.isEmpty())
            *entry = QJsonArray{list.size() > 2 ? list[2] : list[0], QStringLiteral("estimated")};
    }
    return entries;
}

inline predict::RateTable estimatedRates() {
    const std::string_view text = predict::builtInRates();
    QJsonObject table
        = QJsonDocument::fromJson(QByteArray(text.data(), static_cast<qsizetype>(text.size())))
              .object();
    for (const char* part : {"gpus", "stacks", "common"})
        table[QLatin1String(part)] = estimated(table[QLatin1String(part)].toObject());
    return predict::RateTable::parse(QJsonDocument(table).toJson().toStdString()).value();
}

} // namespace trainscope::test
