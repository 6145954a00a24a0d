#pragma once
// Traces with figures computed beside them: the small stand-ins, and the real ones where they are.

#include <QByteArray>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QString>

#include "support/TestFiles.h"

#include <vector>

namespace trainscope::test {

inline QString sharedData() {
    return QString::fromStdString(realFiles()) + QStringLiteral("/data");
}

inline bool hasSharedTraces() {
    return QFile::exists(sharedData() + QStringLiteral("/kineto_truth.json"));
}

// The entries of kineto_truth.json, with the place of each trace as "path".
inline QJsonArray kinetoTruth() {
    QJsonArray all;
    for (const auto& root : testRoots()) {
        const QString data = QString::fromStdString(root) + QStringLiteral("/data/");
        QFile file(data + QStringLiteral("kineto_truth.json"));
        if (!file.open(QIODevice::ReadOnly))
            continue;
        for (const QJsonValue& value : QJsonDocument::fromJson(file.readAll()).array()) {
            QJsonObject truth = value.toObject();
            truth[u"path"] = data + truth[u"file"].toString();
            all.append(truth);
        }
    }
    return all;
}

} // namespace trainscope::test
