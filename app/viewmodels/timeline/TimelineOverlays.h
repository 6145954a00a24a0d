#pragma once
// Overlays of the shown runs, drawn over their lanes: read in the background, since it takes as
// long as a summary, run by run, and kept while the database is the same. GUI thread.

#include <QObject>
#include <QPointer>
#include <QQmlEngine>

#include "app/viewmodels/workspace/Task.h"
#include "core/model/Run.h"
#include "core/plot/timeline/Timeline.h"

#include <map>
#include <memory>
#include <vector>

namespace trainscope::app {

class TimelineOverlays : public QObject {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(bool visible READ isShown WRITE setShown NOTIFY changed FINAL)

public:
    explicit TimelineOverlays(QObject* parent = nullptr);

    // Another database: nothing is known.
    void forget();
    // Those that are shown, in their order; reads what is not known yet.
    void setRuns(ReaderPool& readers, const std::vector<Run>& runs);
    [[nodiscard]] bool isShown() const { return m_isShown; }
    void setShown(bool shown); // by the user
    void restore(bool shown);

    // In the order of the runs; those not read yet are empty. nullptr: not shown.
    [[nodiscard]] const std::vector<plot::RunOverlay>* shown() const;
    [[nodiscard]] std::shared_ptr<const std::vector<plot::RunOverlay>> copy() const;
    // The same whether they are shown or not; nullptr: nothing is known yet.
    [[nodiscard]] const std::vector<plot::RunOverlay>* known() const { return m_shown.get(); }

Q_SIGNALS:
    void changed();
    void edited();

private:
    struct Found {
        RunId run;
        std::shared_ptr<const plot::RunOverlay> overlay;
    };
    void read();
    void gather();

    QPointer<ReaderPool> m_readers;
    Task<Found> m_task{Urgency::Background};
    bool m_isShown = true;
    std::vector<Run> m_runs;
    std::map<RunId, std::shared_ptr<const plot::RunOverlay>> m_known;
    std::shared_ptr<const std::vector<plot::RunOverlay>> m_shown;
};

} // namespace trainscope::app
