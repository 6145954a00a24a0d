#pragma once
// Shared parts of the tests of devices: the reading of one channel, and files that stand in for the
// kernel's.

#include "importers/record/Probe.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QString>
#include <QtTest>

#include <optional>
#include <string_view>
#include <vector>

namespace trainscope::test {

// Every reading, or those of one pace; -1 in the channels of the others.
inline std::vector<double> allRead(
    record::Probe& probe, std::optional<record::Pace> pace = std::nullopt) {
    std::vector<double> values(probe.channels().size(), -1.0);
    for (std::size_t i = 0; i < probe.readings().size(); ++i) {
        if (!pace || probe.readings()[i].pace == *pace)
            probe.read(i, values);
    }
    return values;
}

// SI value of the first channel of that metric, with its scale; absent without such a channel.
inline std::optional<double> siValue(record::Probe& probe, std::string_view metric,
    std::optional<record::Pace> pace = std::nullopt) {
    const std::vector<double> values = allRead(probe, pace);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const SeriesDescription& description = probe.channels()[i].description;
        if (description.metric.name == metric)
            return values[i] * description.scale;
    }
    return std::nullopt;
}

inline void writeText(const QString& path, const char* text) {
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

} // namespace trainscope::test
