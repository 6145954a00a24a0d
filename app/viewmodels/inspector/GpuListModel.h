#pragma once
// One row per GPU with its figures over the selection, ready to read. GUI thread.

#include <QQmlEngine>
#include <QString>

#include "app/viewmodels/inspector/SelectionStatistics.h"
#include "app/viewmodels/workspace/RowListModel.h"

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
    enum Role { GpuName = Qt::UserRole + 1, MeanPower, PeakPower, PeakTemperature, Energy };
    Q_ENUM(Role)

    using RowListModel::RowListModel;
    void setStatistics(const std::vector<RunStatistics>& runs);
    // Tab-separated, with a head.
    [[nodiscard]] QString text() const;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;

Q_SIGNALS:
    void countChanged();

protected:
    [[nodiscard]] QVariant value(const GpuRow& row, int role) const override;
    void notifyCount() override { Q_EMIT countChanged(); }
};

} // namespace trainscope::app
