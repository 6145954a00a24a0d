#pragma once
// The lanes as they lie on the screen, with their readouts, for the overlays of QML. GUI thread.

#include <QQmlEngine>
#include <QString>

#include "app/viewmodels/window/RowListModel.h"

#include <vector>

namespace trainscope::app {

struct LaneRow {
    QString title; // "GPU power"
    QString subtitle;
    double y = 0.0; // top of the lane in the view, may lie outside
    double height = 0.0;
    int style = 0; // plot::LaneStyle
    bool hasStyles = false;
    bool canSplit = false; // shows all GPUs
    bool canMerge = false; // shows one GPU
    bool hasSpectrum = false; // the power of GPUs
    bool isFixed = false; // its height was chosen
    bool isDerived = false; // by a formula
    QString readout; // at the cursor
    QString summary; // for screen readers
    bool operator==(const LaneRow&) const = default;
};

class LaneListModel : public RowListModel<LaneRow> {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    explicit LaneListModel(QObject* parent = nullptr);
    // Rows that stay keep their delegates, and their readouts: only what differs in the middle is
    // inserted or removed.
    void setLanes(std::vector<LaneRow> lanes);
    // Those of lanes that are not laid out yet wait for them.
    void setReadouts(const std::vector<QString>& readouts);
    // Ahead of setLanes() when a lane moves, so that its delegate keeps the keyboard focus.
    void moveRow(int from, int to);

private:
    std::vector<QString> m_waiting; // readouts of other lanes than the rows
};

} // namespace trainscope::app
