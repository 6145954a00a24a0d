#pragma once
// Alignment of the shown runs: by their starts, by an iteration, at their own times, and each moved
// by hand. RunAlignment is a plain value for any thread; the model, with a row for each shown run,
// is of the GUI thread.

#include "app/viewmodels/lanes/TimelineLoader.h"
#include "app/viewmodels/window/RowListModel.h"
#include "app/viewmodels/workspace/ViewFile.h"

#include <QQmlEngine>

namespace trainscope::app {

struct RunAlignment {
    using Mode = AlignmentMode;
    Mode mode = Mode::Start;
    std::int64_t iteration = 0;
    std::unordered_map<RunId, DurationNs> moved; // to the right, by hand
    bool onOneClock = true; // the traces of a run's ranks, where their clocks are known to differ
    std::unordered_map<RunId, std::shared_ptr<const analysis::RankClocks>> clocks;

    bool operator==(const RunAlignment&) const = default;
};

// The runs with their origins and clocks set. A run without that iteration is aligned by its start.
std::vector<plot::ShownRun> alignedRuns(std::vector<plot::ShownRun> shown,
    const TimelineCatalogue& catalogue, const RunAlignment& alignment);

// From the earliest begin to the latest end of the runs, in view time; a second around a single
// instant, as one scrape of a monitoring engine is; empty without data.
plot::ViewWindow viewLimits(
    const std::vector<plot::ShownRun>& runs, const TimelineCatalogue& catalogue);

struct AlignedRow {
    std::string name; // the run's, without the part that all of them share
    plot::ShownRun run;
    DurationNs moved; // to the right, by hand
};

class AlignmentModel : public RowListModel<AlignedRow> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the timeline.")
    // "Aligned by start", "Aligned by clock", "Aligned by iteration 3", with the number of runs
    // that lack it and are aligned by their start, and with "moved by hand" where it was.
    Q_PROPERTY(QString title READ title NOTIFY alignmentChanged FINAL)
    Q_PROPERTY(bool byStart READ byStart NOTIFY alignmentChanged FINAL)
    Q_PROPERTY(bool byClock READ byClock NOTIFY alignmentChanged FINAL)
    Q_PROPERTY(bool byIteration READ byIteration NOTIFY alignmentChanged FINAL)
    Q_PROPERTY(bool hasIterations READ hasIterations NOTIFY scopeChanged FINAL)
    Q_PROPERTY(int iteration READ iteration NOTIFY alignmentChanged FINAL)
    // The traces of a run's ranks on one clock, by their collectives. The text says how far the
    // clocks are apart, or why nothing is known of it; empty where there is nothing to compare.
    Q_PROPERTY(bool onOneClock READ onOneClock WRITE setOnOneClock NOTIFY alignmentChanged FINAL)
    Q_PROPERTY(bool clocksDiffer READ clocksDiffer NOTIFY clocksChanged FINAL)
    Q_PROPERTY(QString clockText READ clockText NOTIFY clocksChanged FINAL)

public:
    explicit AlignmentModel(QObject* parent = nullptr);

    // Another database is shown, whose runs have the same numbers; setScope() follows.
    void forget();
    // New runs; offsets of runs that stay are kept. Until the user chooses otherwise, runs that
    // overlap in time are aligned by clock; so they are where the axis shows times of the clock.
    void setScope(
        const CataloguePtr& catalogue, const std::vector<plot::ShownRun>& runs, bool showsClock);
    [[nodiscard]] const RunAlignment& alignment() const { return m_alignment; }

    [[nodiscard]] QString title() const;
    [[nodiscard]] bool byStart() const { return m_alignment.mode == RunAlignment::Mode::Start; }
    [[nodiscard]] bool byClock() const { return m_alignment.mode == RunAlignment::Mode::Clock; }
    [[nodiscard]] bool byIteration() const {
        return m_alignment.mode == RunAlignment::Mode::Iteration;
    }
    // All runs stand at one clock's times.
    [[nodiscard]] bool isOfClock() const {
        return count() < 2 || (byClock() && m_alignment.moved.empty());
    }
    // As the user chose it, to be remembered.
    [[nodiscard]] std::optional<RunAlignment::Mode> chosen() const { return m_chosen; }
    void restore(std::optional<RunAlignment::Mode> chosen) { m_chosen = chosen; }
    [[nodiscard]] bool hasIterations() const { return m_last >= m_first; }
    [[nodiscard]] int iteration() const { return static_cast<int>(m_alignment.iteration); }

    using Clocks = std::shared_ptr<const analysis::RankClocks>;
    // Clocks of the shown runs, in their order, as they become known; nullptr: not known.
    void setClocks(const std::vector<Clocks>& clocks);
    [[nodiscard]] bool onOneClock() const { return m_alignment.onOneClock; }
    void setOnOneClock(bool on);
    [[nodiscard]] bool clocksDiffer() const;
    [[nodiscard]] QString clockText() const;

    Q_INVOKABLE void alignByStart();
    // At their own times: what was moved by hand goes back.
    Q_INVOKABLE void alignByClock();
    Q_INVOKABLE void alignByIteration(int index);
    // Seconds to the right, in the user's or the C notation: "1.5", "-0,25". False: not a number.
    Q_INVOKABLE bool moveRun(int row, const QString& seconds);
    Q_INVOKABLE void resetOffsets();

Q_SIGNALS:
    void alignmentChanged();
    void edited(); // the user chose
    void scopeChanged();
    void clocksChanged();

private:
    void move(int row, DurationNs to);
    void choose(RunAlignment::Mode mode);
    bool takeBack();
    [[nodiscard]] RunAlignment::Mode usualMode(bool showsClock) const;
    [[nodiscard]] QString baseTitle() const;

    RunAlignment m_alignment;
    std::optional<RunAlignment::Mode> m_chosen;
    CataloguePtr m_catalogue;
    std::int64_t m_first = 0;
    std::int64_t m_last = -1;
};

} // namespace trainscope::app
