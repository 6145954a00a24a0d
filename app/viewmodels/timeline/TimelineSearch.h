#pragma once
// Finds kernels, host operations, metrics and marks by name in the shown runs: the `/` field, its
// list of names with their hits, and the way from one hit to the next. Matching is
// case-insensitive, anywhere in the name. All hits are counted; the first of each run are gone
// through. GUI thread; spans are looked up in the background.

#include <QQmlEngine>

#include "app/viewmodels/lanes/TimelineLoader.h"
#include "app/viewmodels/window/RowListModel.h"
#include "app/viewmodels/workspace/Task.h"
#include "app/viewmodels/workspace/ViewFile.h"

namespace trainscope::app {

struct SearchHit {
    enum class Kind { Span, Lane, OwnMark } kind = Kind::Span;
    std::size_t run = 0; // Span, OwnMark: index into the shown runs
    TrackId track; // Span
    Span span; // Span
    plot::LaneSpec lane; // Lane
    std::size_t mark = 0; // OwnMark: index
    TimeRange range; // Span, OwnMark: absolute
    QString text;
};

// One row of the list: a name with its hits, a lane or a mark.
struct SearchRow {
    QString name;
    QString full;
    QString detail; // "1,204 hits, 168 ms"
    bool isChosen = false; // next and previous go through its hits alone
    bool operator==(const SearchRow&) const = default;
};

class SearchListModel : public RowListModel<SearchRow> {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    explicit SearchListModel(QObject* parent = nullptr);
};

class TimelineSearch : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the timeline.")
    Q_PROPERTY(QString text READ text WRITE setText NOTIFY textChanged FINAL)
    // "3 of 1,204", "no match", empty without a text.
    Q_PROPERTY(QString statusText READ statusText NOTIFY statusChanged FINAL)
    Q_PROPERTY(bool hasMatches READ hasMatches NOTIFY statusChanged FINAL)
    // Lanes and marks first, then the names of spans by the time of their hits.
    Q_PROPERTY(trainscope::app::SearchListModel* rows READ rows CONSTANT FINAL)
    // Number of names that the list has no row for; empty: it has all.
    Q_PROPERTY(QString moreText READ moreText NOTIFY statusChanged FINAL)

public:
    static constexpr std::size_t kMostRows = 200; // names
    static constexpr std::size_t kMostHits = 20'000; // per run, to go through
    struct Group {
        NameId name;
        std::string text;
        std::int64_t count = 0;
        double seconds = 0.0;
    };
    struct RunHits {
        std::vector<store::FoundSpan> first; // in order of time, then of tracks
        std::int64_t total = 0;
    };
    struct Counted {
        std::vector<RunHits> runs;
        std::vector<Group> groups; // the longest first
        std::size_t names = 0; // with those that are not among the groups
    };

    explicit TimelineSearch(QObject* parent = nullptr);

    // Sets the runs to search. Marks are those of the shown runs.
    void setScope(ReaderPool& readers, CataloguePtr catalogue, std::vector<plot::ShownRun> runs);
    void setMarks(std::vector<Mark> marks);

    [[nodiscard]] const QString& text() const { return m_text; }
    void setText(const QString& text);
    [[nodiscard]] QString statusText() const;
    [[nodiscard]] bool hasMatches() const { return walked() > 0; }
    [[nodiscard]] SearchListModel* rows() { return &m_rows; }
    [[nodiscard]] QString moreText() const;

    // To the next match; the first call after a change of the text goes to the first one.
    Q_INVOKABLE void next() { go(1); }
    Q_INVOKABLE void previous() { go(-1); }
    // To the first hit of a row, through whose hits alone the way leads from then on; again: to the
    // next one.
    Q_INVOKABLE void choose(int row);
    Q_INVOKABLE void clear() { setText({}); }

Q_SIGNALS:
    void textChanged();
    void statusChanged();
    void jumped(const trainscope::app::SearchHit& hit);

private:
    using Hits = std::vector<SearchHit>;
    void start();
    void take(Result<Counted> counted);
    void takeNamed(Result<Counted> counted);
    void count(NameId name, std::function<void(Result<Counted>)> done);
    void forgetPosition();
    void showRows();
    [[nodiscard]] Hits lanesAndMarks() const;
    void go(int step);
    void jump();
    void choose(const Group& group);
    // Those that next and previous go through.
    [[nodiscard]] const std::vector<RunHits>& hits() const {
        return m_name.isValid() ? m_named.runs : m_counted.runs;
    }
    [[nodiscard]] std::int64_t fixed() const; // lanes and marks among them, which come first
    [[nodiscard]] std::int64_t walked() const;
    [[nodiscard]] std::int64_t total() const;
    [[nodiscard]] bool hasRowOfAll() const { return m_counted.groups.size() > 1; }

    QPointer<ReaderPool> m_readers;
    Task<Counted> m_task;
    CataloguePtr m_catalogue;
    std::vector<plot::ShownRun> m_runs;
    std::vector<Mark> m_marks;
    QString m_text;
    Hits m_fixed;
    Counted m_counted;
    NameId m_name; // name to step through alone; invalid: all
    Counted m_named; // hits of that name
    std::int64_t m_current = -1;
    int m_waiting = 0; // steps asked for while the search is under way
    bool m_searching = false;
    QString m_error;
    SearchListModel m_rows;
};

} // namespace trainscope::app
