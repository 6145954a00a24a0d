#pragma once
// Finds kernels, metrics and marks by name in the shown runs: the `/` field. Matching is
// case-insensitive, anywhere in the name. GUI thread; kernels are looked up in the background.

#include <QObject>
#include <QPointer>
#include <QQmlEngine>
#include <QString>

#include "app/viewmodels/lanes/TimelineCatalogue.h"
#include "app/viewmodels/workspace/Task.h"
#include "app/viewmodels/workspace/ViewFile.h"

#include <vector>

namespace trainscope::app {

struct SearchHit {
    enum class Kind { Span, Lane, Mark } kind = Kind::Span;
    std::size_t run = 0; // Span, Mark: index into the shown runs
    TrackId track; // Span
    Span span; // Span
    plot::LaneSpec lane; // Lane
    std::size_t mark = 0; // Mark: index
    TimeRange range; // Span, Mark: absolute
    QString text;
};

class TimelineSearch : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the timeline.")
    Q_PROPERTY(QString text READ text WRITE setText NOTIFY textChanged FINAL)
    // "3 of 120", "no match", empty without a text.
    Q_PROPERTY(QString statusText READ statusText NOTIFY statusChanged FINAL)
    Q_PROPERTY(bool hasMatches READ hasMatches NOTIFY statusChanged FINAL)

public:
    static constexpr std::size_t kMostSpans = 2000; // of a run
    struct Found {
        std::vector<SearchHit> spans;
        bool isLimited = false; // a run has more than that
    };

    explicit TimelineSearch(QObject* parent = nullptr);

    // Sets the runs to search. Marks are those of the shown runs.
    void setScope(ReaderPool& readers, CataloguePtr catalogue, std::vector<plot::ShownRun> runs);
    void setMarks(std::vector<Mark> marks);

    [[nodiscard]] const QString& text() const { return m_text; }
    void setText(const QString& text);
    [[nodiscard]] QString statusText() const;
    [[nodiscard]] bool hasMatches() const { return !m_hits.empty(); }

    // To the next match; the first call after a change of the text goes to the first one.
    Q_INVOKABLE void next();
    Q_INVOKABLE void previous();
    Q_INVOKABLE void clear();

Q_SIGNALS:
    void textChanged();
    void statusChanged();
    void jumped(const trainscope::app::SearchHit& hit);

private:
    using Hits = std::vector<SearchHit>;
    void start();
    void take(Result<Found> found);
    [[nodiscard]] Hits lanesAndMarks() const;
    void go(int step);

    QPointer<ReaderPool> m_readers;
    Task<Found> m_task;
    CataloguePtr m_catalogue;
    std::vector<plot::ShownRun> m_runs;
    std::vector<Mark> m_marks;
    QString m_text;
    Hits m_hits;
    int m_current = -1;
    int m_waiting = 0; // steps asked for while the search is under way
    bool m_searching = false;
    bool m_limited = false;
    QString m_error;
};

} // namespace trainscope::app
