#pragma once
// The runs of the open database as the list on the left shows them, in the catalogue's order, with
// what is shown, its colour, and a small curve of the mean GPU power that is read later.
// GUI thread only.

#include "app/viewmodels/window/RowListModel.h"
#include "app/viewmodels/workspace/Workspace.h"

#include <QList>
#include <QPointer>

namespace trainscope::app {

struct RunRow {
    Run run;
    int colorIndex = -1; // of Theme.seriesColor; -1 while not shown
    QList<double> curve; // 0..1, NaN where nothing is known
};

class RunListModel : public RowListModel<RunRow> {
    Q_OBJECT

public:
    explicit RunListModel(QObject* parent = nullptr);

    [[nodiscard]] Workspace* workspace() const { return m_workspace; }
    void setWorkspace(Workspace* workspace);

    // Columns of a curve.
    static constexpr int kCurveColumns = 112;

private:
    struct Curve {
        RunId run;
        QList<double> values;
    };
    void runsChanged();
    void shownChanged();
    void readCurves();
    [[nodiscard]] int colorIndexOf(RunId run) const;

    QPointer<Workspace> m_workspace;
    LatestTask<Curve> m_curveTask{Urgency::Background};
};

} // namespace trainscope::app
