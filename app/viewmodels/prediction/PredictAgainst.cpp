#include "app/viewmodels/prediction/PredictAgainst.h"

#include "app/viewmodels/prediction/PredictForm.h"

#include <algorithm>
#include <cmath>

namespace trainscope::app {
namespace {

QString noCluster() {
    return QStringLiteral("nothing");
}

std::optional<int> countIn(FormField& field) {
    bool isNumber = false;
    const int value = field.text.trimmed().toInt(&isNumber);
    if (isNumber && value > 0)
        return value;
    field.fault = QStringLiteral("A whole number above 0 is needed.");
    return std::nullopt;
}

} // namespace

void addAgainstFields(FormFields& fields, const QStringList& gpus) {
    fields.push_back({QLatin1String(field_key::kAgainst), QStringLiteral("GPU"), noCluster(), {},
        QStringLiteral("A second cluster: the best layout on each is judged as scale-up and "
                       "scale-out"),
        QStringLiteral("Against"), QStringList{noCluster()} + gpus});
    fields.push_back({QLatin1String(field_key::kAgainstNodes), QStringLiteral("Nodes"),
        QStringLiteral("4"), QStringLiteral("1")});
    fields.push_back({QLatin1String(field_key::kAgainstPerNode), QStringLiteral("GPUs per node"),
        QStringLiteral("8"), QStringLiteral("1")});
}

bool isOfAgainst(const QString& key) {
    return key == QLatin1String(field_key::kAgainst)
        || key == QLatin1String(field_key::kAgainstNodes)
        || key == QLatin1String(field_key::kAgainstPerNode);
}

void fitAgainst(FormFields& fields, const QString& before) {
    const FormField& chosen = fieldAt(fields, field_key::kAgainst);
    const catalogue::GpuModel* gpu = gpuNamed(chosen.text);
    if (chosen.text == before || gpu == nullptr)
        return;
    const double all = 1.0 * fieldAt(fields, field_key::kNodes).text.toInt()
        * fieldAt(fields, field_key::kPerNode).text.toInt();
    const auto& own = gpuOf(fields);
    const double wanted
        = own.memoryBytes && gpu->memoryBytes ? all * *own.memoryBytes / *gpu->memoryBytes : all;
    const int usual = predict::usualGpusPerNode(*gpu);
    fieldAt(fields, field_key::kAgainstPerNode).text = QString::number(usual);
    fieldAt(fields, field_key::kAgainstNodes).text
        = QString::number(std::max(1.0, std::ceil(wanted / usual)), 'f', 0);
}

std::optional<predict::ClusterRequest> againstOf(FormFields& fields) {
    const auto* gpu = gpuNamed(fieldAt(fields, field_key::kAgainst).text);
    if (gpu == nullptr)
        return std::nullopt;
    const auto nodes = countIn(fieldAt(fields, field_key::kAgainstNodes));
    const auto perNode = countIn(fieldAt(fields, field_key::kAgainstPerNode));
    if (!nodes || !perNode)
        return std::nullopt;
    return predict::clusterOf(*gpu, *nodes, *perNode);
}

} // namespace trainscope::app
