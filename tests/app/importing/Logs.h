#pragma once
// nvidia-smi logs to import, and what a database holds of them.

#include "app/importing/ImportRunner.h"
#include "core/store/Store.h"

#include <QDir>
#include <QFile>
#include <QString>

#include <map>
#include <string>

namespace trainscope::test {

// `rows` rows of one GPU, 100 ms apart, from 2025-01-01.
inline std::string logText(int rows) {
    std::string text = "timestamp,index,power.draw [W],temperature.gpu\n";
    for (std::int64_t i = 0; i < rows; ++i) {
        text += std::to_string(1735689600 + i / 10) + "." + std::to_string(i % 10) + ",0,"
            + std::to_string(100 + i * 7919 % 600) + "." + std::to_string(i % 97) + ","
            + std::to_string(30 + i * 31 % 50) + "\n";
    }
    return text;
}

inline bool writeFile(const QString& path, const std::string& text) {
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    return file.open(QIODevice::WriteOnly)
        && file.write(text.data(), static_cast<qint64>(text.size())) >= 0;
}

inline Result<std::vector<app::UnitOutcome>> importFolder(
    const QString& folder, const QString& database, const app::ImportListener& listener = {}) {
    const auto tree = importers::openDiskTree(folder.toStdString());
    if (!tree.hasValue())
        return tree.error();
    const auto plan = importers::planImport(*tree.value(), {});
    if (!plan.hasValue())
        return plan.error();
    return app::runImport(*tree.value(), plan.value(), database.toStdString(), listener);
}

// Samples by run name; absent when the database cannot be opened.
inline std::optional<std::map<std::string, std::int64_t>> samplesByRun(const QString& database) {
    const auto store = store::Store::open(database.toStdString(), store::OpenMode::ReadOnly);
    if (!store.hasValue())
        return std::nullopt;
    const auto runs = store.value().runs();
    if (!runs.hasValue())
        return std::nullopt;
    std::map<std::string, std::int64_t> samples;
    for (const Run& run : runs.value()) {
        std::int64_t& count = samples[run.name];
        for (const Series& series : store.value().series(run.id).valueOr({}))
            count += series.count;
    }
    return samples;
}

} // namespace trainscope::test
