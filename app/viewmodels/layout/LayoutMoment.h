#pragma once
// The moment that the layout view shows: its playback, the values of all ranks there, and the
// cursor that all views share. Pictures are read ahead: a block of them at a time, of which a few
// are kept, so that playing neither waits nor grows. GUI thread.

#include "app/viewmodels/workspace/Task.h"
#include "app/viewmodels/workspace/Views.h"
#include "core/analysis/cluster/RankValues.h"

#include <QElapsedTimer>
#include <QQmlEngine>

namespace trainscope::app {

// The moment that the layout's diagrams show, and its walk through the run: play, pause, speed. Its
// clock is real time; tests give their own.
class Playback : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the layout.")
    Q_PROPERTY(bool available READ isAvailable NOTIFY rangeChanged FINAL)
    Q_PROPERTY(bool playing READ isPlaying WRITE setPlaying NOTIFY playingChanged FINAL)
    // Index into the speeds: seconds of the run in a second.
    Q_PROPERTY(int speed READ speed WRITE setSpeed NOTIFY speedChanged FINAL)
    Q_PROPERTY(QStringList speeds READ speeds CONSTANT FINAL)
    Q_PROPERTY(double position READ position WRITE setPosition NOTIFY moved FINAL) // 0..1
    Q_PROPERTY(QString timeText READ timeText NOTIFY moved FINAL) // since the start of the run
    Q_PROPERTY(QString lengthText READ lengthText NOTIFY rangeChanged FINAL)

public:
    explicit Playback(QObject* parent = nullptr);

    // Milliseconds since some moment.
    void setClock(std::function<qint64()> clock) { m_clock = std::move(clock); }

    // Range of the run; empty: there is nothing to play. Begins in its middle; in a range that
    // became longer the time stays.
    void setRange(TimeRange range);
    [[nodiscard]] const TimeRange& range() const { return m_range; }
    // One instant has no course.
    [[nodiscard]] bool isAvailable() const { return m_range.length().ns > 1; }

    [[nodiscard]] bool isPlaying() const { return m_timer.isActive(); }
    // At the end it plays from the start.
    void setPlaying(bool playing);
    [[nodiscard]] int speed() const { return m_speed; }
    void setSpeed(int speed);
    [[nodiscard]] QStringList speeds() const;
    [[nodiscard]] double position() const;
    void setPosition(double position);
    [[nodiscard]] QString timeText() const;
    [[nodiscard]] QString lengthText() const;
    // By fractions of a hundredth of the run.
    Q_INVOKABLE void nudge(int steps);

    [[nodiscard]] TimeNs time() const { return m_time; }
    void seek(TimeNs time);
    // Time of the run that a picture lasts at this speed.
    [[nodiscard]] DurationNs frame() const;
    // The picture of this moment is not there yet: time stands until release().
    void hold() { m_held = true; }
    void release();
    // Called by the timer.
    void tick();

Q_SIGNALS:
    void rangeChanged();
    void playingChanged();
    void speedChanged();
    void moved();

private:
    TimeRange m_range{{0}, {0}};
    TimeNs m_time{0};
    int m_speed = 0;
    bool m_held = false;
    std::function<qint64()> m_clock;
    qint64 m_last = 0; // m_clock at the last step
    QElapsedTimer m_elapsed;
    QTimer m_timer;
};

// The values of a metric by rank at the moments of a playback.
class PlaybackCache : public QObject {
    Q_OBJECT

public:
    static constexpr int kPictures = 256; // pictures in a block
    static constexpr std::size_t kBlocks = 3; // kept at most

    explicit PlaybackCache(QObject* parent = nullptr);

    // Sets what is read from now on, of the database that `readers` read.
    void setSource(ReaderPool& readers, const Run& run, const std::string& metric);
    // Forgets all that was read, and the source.
    void clear();

    // Picture of length `frame` that holds t, if it is there; else it is being read and arrived()
    // follows. Reads the next ones, too.
    std::optional<analysis::RankValues> picture(TimeNs t, DurationNs frame);
    // Asks for the values held at t: exact() follows with those of the last asking.
    void ask(TimeNs t);

    [[nodiscard]] std::size_t blocks() const { return m_blocks.size(); }

Q_SIGNALS:
    void arrived();
    void exact(const std::vector<std::optional<double>>& values);
    void failed(const trainscope::Error& error);

private:
    using SeriesPtr = std::shared_ptr<const analysis::RankSeries>;
    struct Block {
        std::int64_t index = 0;
        SeriesPtr series;
        analysis::RankFrames frames;
    };
    struct Exact {
        SeriesPtr series;
        analysis::RankValues values;
    };

    [[nodiscard]] TimeRange windowOf(std::int64_t block) const;
    void read(std::int64_t block);
    void take(Result<Block> block);

    QPointer<ReaderPool> m_readers;
    Task<Block> m_blockTask{Urgency::Pointer};
    Task<Exact> m_exactTask{Urgency::Pointer, Asking::Steady};
    Run m_run;
    std::string m_metric;
    SeriesPtr m_series;
    DurationNs m_frame{0};
    std::map<std::int64_t, analysis::RankFrames> m_blocks;
    std::optional<std::int64_t> m_reading;
    std::optional<std::int64_t> m_next; // wanted when that is done
};

class LayoutMoment : public QObject {
    Q_OBJECT

public:
    explicit LayoutMoment(QObject* parent = nullptr);

    // Place where the cursor is shared; nullptr: nowhere.
    void setViews(Views* views);
    // Without a run there is no moment.
    void setRun(const std::optional<Run>& run);
    void setMetric(const std::string& metric); // the metric to read
    // Only a view that is seen and shows the moment reads; it stops playing else.
    void setShown(bool shown);
    // Reads the values of the moment.
    void show();
    void forget();
    // To the cursor of the other views, if they have one in this run.
    void takeCursor();
    // Tells them now.
    void share();

    [[nodiscard]] Playback& playback() { return m_playback; }
    [[nodiscard]] const Playback& playback() const { return m_playback; }

Q_SIGNALS:
    void values(const std::vector<std::optional<double>>& values);
    void settled(); // it rests, or a moment has passed since it was told last
    void failed(const trainscope::Error& error);

private:
    void follow(const std::function<void()>& move); // `move` without telling anybody

    Playback m_playback;
    PlaybackCache m_cache;
    QPointer<Views> m_views;
    std::optional<Run> m_run;
    bool m_isShown = false;
    bool m_isFollowing = false;
    QTimer m_shareTimer; // the cursor is told to others now and then while it plays
};

} // namespace trainscope::app
