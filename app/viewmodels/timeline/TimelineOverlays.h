#pragma once
// Overlays of the shown runs, drawn over their lanes: read in the background, since it takes as
// long as a summary, run by run, and kept while the database is the same. GUI thread.

#include <QPointer>
#include <QQmlEngine>

#include "app/viewmodels/workspace/Task.h"
#include "core/plot/timeline/Timeline.h"

namespace trainscope::app {

class TimelineOverlays : public QObject {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(bool visible READ isShown WRITE setShown NOTIFY changed FINAL)
    // The critical paths too, where overlays are shown.
    Q_PROPERTY(bool paths READ arePathsShown WRITE setPathsShown NOTIFY changed FINAL)
    // Says that they are being read, or why there are none.
    Q_PROPERTY(QString pathText READ pathText NOTIFY changed FINAL)

public:
    explicit TimelineOverlays(QObject* parent = nullptr);

    // Another database: nothing is known.
    void forget();
    // Those that are shown, in their order; reads what is not known yet.
    void setRuns(ReaderPool& readers, const std::vector<Run>& runs);
    [[nodiscard]] bool isShown() const { return m_isShown; }
    void setShown(bool shown); // by the user
    void restore(bool shown);
    [[nodiscard]] bool arePathsShown() const { return m_arePathsShown; }
    void setPathsShown(bool shown);
    void togglePaths() { setPathsShown(!m_arePathsShown); }
    [[nodiscard]] QString pathText() const;

    // In the order of the runs; those not read yet are empty. nullptr: not shown.
    [[nodiscard]] const std::vector<plot::RunOverlay>* shown() const {
        return m_isShown ? m_shown.get() : nullptr;
    }
    [[nodiscard]] std::shared_ptr<const std::vector<plot::RunOverlay>> copy() const {
        return m_isShown ? m_shown : nullptr;
    }
    // The same whether they are shown or not; nullptr: nothing is known yet.
    [[nodiscard]] const std::vector<plot::RunOverlay>* known() const { return m_shown.get(); }

Q_SIGNALS:
    void changed();
    void edited();

private:
    struct Found {
        std::shared_ptr<const plot::RunOverlay> overlay;
        std::optional<Result<std::vector<plot::PathMark>>> path = {}; // absent: not asked for
    };
    using FoundOf = std::pair<RunId, Found>;
    static Result<Found> readOne(const analysis::RunStudy& study, Found found, bool withPath);
    [[nodiscard]] bool isKnown(const Run& run) const;
    void read();
    void gather();

    QPointer<ReaderPool> m_readers;
    Task<FoundOf> m_task{Urgency::Background};
    bool m_isShown = true;
    bool m_arePathsShown = false;
    std::vector<Run> m_runs;
    std::map<RunId, Found> m_known;
    std::shared_ptr<const std::vector<plot::RunOverlay>> m_shown;
};

} // namespace trainscope::app
