#include "app/viewmodels/importing/FoundMetricModel.h"

#include "app/viewmodels/text/Texts.h"

#include <algorithm>

namespace trainscope::app {

namespace {

QString subjectsOf(SubjectKind kind) {
    switch (kind) {
    case SubjectKind::Gpu:
        return QStringLiteral("GPUs");
    case SubjectKind::Node:
        return QStringLiteral("nodes");
    case SubjectKind::Link:
        return QStringLiteral("links");
    default:
        return {};
    }
}

// Row of a metric that is not imported as it stands.
FoundMetricRow absentRow(const std::string& name, const QString& why) {
    FoundMetricRow row{QString::fromStdString(name), {}, {}, why};
    for (const auto& known : importers::exporterMetrics()) {
        if (known.name == name) {
            row.scale = known.scale;
            row.subject = known.subject;
        }
    }
    return row;
}

} // namespace

FoundMetricModel::FoundMetricModel(QObject* parent)
    : RowListModel(
        {{"engineName", [](const FoundMetricRow& row) { return shownLine(row.engineName); }},
            {"metric", &FoundMetricRow::metric}, {"proposed", &FoundMetricRow::proposed},
            {"seriesText", &FoundMetricRow::seriesText}},
        parent) { }

void FoundMetricModel::setCatalogue(
    const importers::engine::Catalogue& catalogue, const importers::engine::Mapping& mapping) {
    std::vector<FoundMetricRow> found;
    for (const auto& metric : catalogue.metrics) {
        const auto name = QString::fromStdString(metric.metric.name);
        found.push_back({QString::fromStdString(metric.engineName), name, name,
            QStringLiteral("%1 series of %2").arg(metric.series).arg(subjectsOf(metric.subject)),
            metric.scale, metric.subject});
    }
    for (const auto& one : mapping.metrics) {
        if (one.isLeft)
            found.push_back(absentRow(one.engineName, QStringLiteral("left out")));
    }
    for (const auto& name : catalogue.unknownNames) {
        if (mapping.find(name) == nullptr)
            found.push_back(absentRow(name, QStringLiteral("not known")));
    }
    resetRows(std::move(found));
}

void FoundMetricModel::setMetric(int row, const QString& name) {
    if (!isThere(row))
        return;
    FoundMetricRow changed = rows()[static_cast<std::size_t>(row)];
    changed.metric = name.trimmed();
    setRow(static_cast<std::size_t>(row), changed);
}

importers::engine::Mapping FoundMetricModel::edited(importers::engine::Mapping mapping) const {
    for (const FoundMetricRow& row : rows()) {
        if (row.metric == row.proposed)
            continue;
        const std::string name = row.engineName.toStdString();
        std::erase_if(mapping.metrics, [&name](const auto& one) { return one.engineName == name; });
        importers::engine::MappedMetric& one = mapping.metrics.emplace_back();
        one.engineName = name;
        one.metric = row.metric.toStdString();
        one.isLeft = row.metric.isEmpty();
        one.scale = row.scale;
        one.subject = row.subject;
    }
    return mapping;
}

} // namespace trainscope::app
