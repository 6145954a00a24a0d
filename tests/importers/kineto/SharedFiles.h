#pragma once
// The real files that lie beside the checkout, where there are any.

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QString>

namespace trainscope::test {

inline QString sharedData() {
    return qEnvironmentVariable("TRAINSCOPE_SHARED") + QStringLiteral("/data");
}

inline bool hasSharedTraces() {
    return QFile::exists(sharedData() + QStringLiteral("/kineto_truth.json"));
}

inline QJsonArray kinetoTruth() {
    QFile file(sharedData() + QStringLiteral("/kineto_truth.json"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return QJsonDocument::fromJson(file.readAll()).array();
}

} // namespace trainscope::test
