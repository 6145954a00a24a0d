#pragma once
// Settings of a comparison, and their JSON: remembered with a database's views, and kept in the
// database under a name. Plain functions; any thread.

#include "core/plot/comparison/Comparison.h"

#include <QJsonObject>
#include <QString>

#include <map>
#include <string>
#include <vector>

namespace trainscope::app {

struct ComparisonSettings {
    // By name, so that they survive a new import. The first is what the others are compared with;
    // runs that are shown and not named here follow.
    std::vector<std::string> runs;
    std::map<std::string, DurationNs> moved; // to the right, by hand
    plot::ComparisonQuery query; // without runs and moves
    std::vector<plot::ComparisonPanel> panels; // empty: all
    bool stacked = false;
    bool perStage = false;
    QString theme; // "dark", "light"; empty: as the system has it
    double scroll = 0.0; // where the board is scrolled to, as a share of its height

    bool operator==(const ComparisonSettings&) const = default;
    [[nodiscard]] bool shows(plot::ComparisonPanel panel) const;
};

QJsonObject encodeComparison(const ComparisonSettings& settings);
// A setting that cannot be understood becomes the default.
ComparisonSettings decodeComparison(const QJsonObject& json);

// As the database keeps it.
std::string comparisonText(const QJsonObject& json);
QJsonObject comparisonJson(const std::string& text);

// The query with its runs: those in order, and what each was moved by.
plot::ComparisonQuery queryOf(const ComparisonSettings& settings, const std::vector<Run>& runs);

} // namespace trainscope::app
