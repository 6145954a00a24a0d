#include "app/viewmodels/session/RunListModel.h"

#include "app/viewmodels/text/RunWording.h"
#include "core/model/Metric.h"

#include <QVariant>

#include <algorithm>
#include <cmath>
#include <limits>

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
    : QAbstractListModel(parent) { }

RunListModel::~RunListModel() = default;

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
    Q_EMIT workspaceChanged();
}

int RunListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

QVariant RunListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto& run = m_runs[static_cast<std::size_t>(index.row())];
    switch (role) {
    case NameRole:
        return QString::fromStdString(run.name);
    case DetailRole:
        return runDetail(run);
    case TagsRole:
        return runTags(run);
    case StrongTagRole:
        return strongTag(run);
    case ShownRole:
        return colorIndexOf(run.id) >= 0;
    case ColorIndexRole:
        return colorIndexOf(run.id);
    case CurveRole: {
        const auto found = std::find_if(m_curves.begin(), m_curves.end(),
            [&run](const Curve& curve) { return curve.run == run.id; });
        return QVariant::fromValue(found == m_curves.end() ? QList<double>() : found->values);
    }
    case SearchTextRole:
        return runSearchText(run);
    case DescriptionRole:
        return runDescription(run);
    default:
        return {};
    }
}

QHash<int, QByteArray> RunListModel::roleNames() const {
    return {{NameRole, "name"}, {DetailRole, "detail"}, {TagsRole, "tags"},
        {StrongTagRole, "strongTag"}, {ShownRole, "shown"}, {ColorIndexRole, "colorIndex"},
        {CurveRole, "curve"}, {SearchTextRole, "searchText"}, {DescriptionRole, "description"}};
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
    beginResetModel();
    m_runs = m_workspace ? m_workspace->runs() : std::vector<Run>();
    m_curves.clear();
    endResetModel();
    readCurves();
}

void RunListModel::shownChanged() {
    if (!m_runs.empty())
        Q_EMIT dataChanged(index(0), index(rowCount() - 1), {ShownRole, ColorIndexRole});
}

void RunListModel::readCurves() {
    if (!m_workspace || !m_workspace->isOpen())
        return;
    const auto job = [runs = m_runs](const store::Store& store, const TaskStage<Curve>& stage) {
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
        m_curves.push_back(std::move(curve).value());
        for (int row = 0; row < rowCount(); ++row) {
            if (m_runs[static_cast<std::size_t>(row)].id == m_curves.back().run)
                Q_EMIT dataChanged(index(row), index(row), {CurveRole});
        }
    });
}

} // namespace trainscope::app
