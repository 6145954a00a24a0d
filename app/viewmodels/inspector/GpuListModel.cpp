#include "app/viewmodels/inspector/GpuListModel.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/TabbedText.h"
#include "core/model/Metric.h"

#include <QStringList>

#include <utility>

namespace trainscope::app {
namespace {

GpuRow rowOf(const GpuStatistics& gpu, const QString& run) {
    const QString rank = QString::number(gpu.gpu.rank);
    return {run.isEmpty() ? rank : run + QLatin1Char(' ') + rank,
        metricText(metric::kGpuPower, gpu.meanPower, "W"),
        metricText(metric::kGpuPower, gpu.peakPower, "W"),
        metricText(metric::kGpuTemperature, gpu.peakTemperature, "°C"),
        metricText("energy", gpu.energy, "J")};
}

bool hasFigures(const GpuStatistics& gpu) {
    return gpu.meanPower || gpu.peakTemperature || gpu.energy;
}

} // namespace

GpuListModel::GpuListModel(QObject* parent)
    : RowListModel({{"gpuName", &GpuRow::gpu}, {"meanPower", &GpuRow::meanPower},
                       {"peakPower", &GpuRow::peakPower},
                       {"peakTemperature", &GpuRow::peakTemperature}, {"energy", &GpuRow::energy}},
        parent) { }

void GpuListModel::setStatistics(const std::vector<RunStatistics>& runs) {
    std::vector<GpuRow> rows;
    for (const auto& run : runs) {
        const QString name = runs.size() > 1 ? QString::fromStdString(run.name) : QString();
        for (const auto& gpu : run.gpus) {
            if (hasFigures(gpu))
                rows.push_back(rowOf(gpu, name));
        }
    }
    setRows(std::move(rows));
}

QString GpuListModel::text() const {
    QString text = tr("GPU\tmean power\tpeak power\tpeak temperature\tenergy\n");
    for (const auto& row : rows())
        text
            += tabbedLine({row.gpu, row.meanPower, row.peakPower, row.peakTemperature, row.energy});
    return text;
}

} // namespace trainscope::app
