#include "app/viewmodels/session/RunListModel.h"

#include "app/viewmodels/text/RunWording.h"
#include "core/model/Metric.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace trainscope::app {

namespace {

bool isGpuPower(const Series& series) {
    return series.description.metric.name == metric::kGpuPower;
}

// Half as many columns as samples, so that slow sensors leave no holes in the curve.
int curveColumns(const std::vector<Series>& series) {
    std::int64_t samples = 0;
    for (const auto& one : series)
        samples = std::max(samples, isGpuPower(one) ? one.count : 0);
    return static_cast<int>(std::clamp<std::int64_t>(samples / 2, 2, RunListModel::kCurveColumns));
}

// Mean GPU power per column as a fraction of the highest one.
QList<double> powerCurve(
    const store::Store& store, const Run& run, const std::function<bool()>& isCancelled) {
    const auto series = store.series(run.id);
    if (!series.hasValue() || run.range.isEmpty())
        return {};
    const int columns = curveColumns(series.value());
    std::vector<double> sums(static_cast<std::size_t>(columns), 0.0);
    std::vector<int> counts(static_cast<std::size_t>(columns), 0);
    for (const auto& one : series.value()) {
        if (!isGpuPower(one))
            continue;
        if (isCancelled())
            return {};
        const auto buckets = store.buckets(one.id, run.range, columns);
        if (!buckets.hasValue())
            return {};
        for (std::size_t i = 0; i < buckets.value().size() && i < sums.size(); ++i) {
            if (buckets.value()[i].count == 0)
                continue;
            sums[i] += static_cast<double>(buckets.value()[i].mean);
            ++counts[i];
        }
    }
    QList<double> curve;
    double highest = 0.0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const double mean
            = counts[i] > 0 ? sums[i] / counts[i] : std::numeric_limits<double>::quiet_NaN();
        highest = std::max(highest, counts[i] > 0 ? mean : 0.0);
        curve.append(mean);
    }
    if (highest <= 0.0)
        return {};
    for (auto& value : curve)
        value /= highest;
    return curve;
}

} // namespace

RunListModel::RunListModel(QObject* parent)
    : RowListModel(
        {{"name", [](const RunRow& row) { return QString::fromStdString(row.run.name); }},
            {"detail", [](const RunRow& row) { return runDetail(row.run); }},
            {"tags", [](const RunRow& row) { return runTags(row.run); }},
            {"strongTag", [](const RunRow& row) { return strongTag(row.run); }},
            {"shown", [](const RunRow& row) { return row.colorIndex >= 0; }},
            {"colorIndex", &RunRow::colorIndex}, {"curve", &RunRow::curve},
            {"description", [](const RunRow& row) { return runDescription(row.run); }}},
        parent) { }

void RunListModel::setWorkspace(Workspace* workspace) {
    if (workspace == m_workspace)
        return;
    if (m_workspace)
        m_workspace->disconnect(this);
    m_workspace = workspace;
    if (m_workspace) {
        connect(m_workspace, &Workspace::runsChanged, this, &RunListModel::runsChanged);
        connect(m_workspace, &Workspace::shownRunsChanged, this, &RunListModel::shownChanged);
    }
    runsChanged();
}

int RunListModel::colorIndexOf(RunId run) const {
    if (!m_workspace)
        return -1;
    for (const auto& shown : m_workspace->shownRuns()) {
        if (shown.id == run)
            return static_cast<int>(shown.color);
    }
    return -1;
}

void RunListModel::runsChanged() {
    m_curveTask.cancel();
    std::vector<RunRow> rows;
    if (m_workspace) {
        for (const auto& run : m_workspace->runs())
            rows.push_back({run, colorIndexOf(run.id), {}});
    }
    resetRows(std::move(rows));
    readCurves();
}

void RunListModel::shownChanged() {
    for (int row = 0; row < count(); ++row) {
        RunRow& own = ownRows()[static_cast<std::size_t>(row)];
        const int color = colorIndexOf(own.run.id);
        if (std::exchange(own.colorIndex, color) != color)
            rowChanged(row);
    }
}

void RunListModel::readCurves() {
    if (!m_workspace || !m_workspace->isOpen())
        return;
    const auto job
        = [runs = m_workspace->runs()](const store::Store& store, const TaskStage<Curve>& stage) {
              for (const auto& run : runs) {
                  if (stage.isCancelled())
                      return;
                  stage.publish(Curve{run.id, powerCurve(store, run, stage.cancelCheck())});
              }
          };
    m_curveTask.start(m_workspace->readers(), job, [this](Result<Curve> curve) {
        // A curve is an ornament: what cannot be read shows none, and the view says why.
        if (!curve.hasValue() || curve.value().values.isEmpty())
            return;
        const auto own = std::find_if(ownRows().begin(), ownRows().end(),
            [&curve](const RunRow& row) { return row.run.id == curve.value().run; });
        if (own == ownRows().end())
            return;
        own->curve = std::move(curve).value().values;
        rowChanged(static_cast<int>(own - ownRows().begin()));
    });
}

} // namespace trainscope::app
