#pragma once
// One row per GPU with its figures over the selection, ready to read. GUI thread.

#include <QQmlEngine>
#include <QString>

#include "app/viewmodels/inspector/SelectionStatistics.h"
#include "app/viewmodels/window/RowListModel.h"

#include <vector>

namespace trainscope::app {

struct GpuRow {
    QString gpu; // "5", with several runs "H200 5"
    QString meanPower;
    QString peakPower;
    QString peakTemperature;
    QString energy;
    bool operator==(const GpuRow&) const = default;
};

class GpuListModel : public RowListModel<GpuRow> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the inspector.")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    explicit GpuListModel(QObject* parent = nullptr);
    void setStatistics(const std::vector<RunStatistics>& runs);
    // Tab-separated, with a head.
    [[nodiscard]] QString text() const;
};

} // namespace trainscope::app
