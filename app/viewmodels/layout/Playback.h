#pragma once
// The moment that the layout's diagrams show, and its walk through the run: play, pause, speed. Its
// clock is real time; tests give their own. GUI thread.

#include <QElapsedTimer>
#include <QObject>
#include <QQmlEngine>
#include <QStringList>
#include <QTimer>

#include "core/model/Time.h"

#include <functional>

namespace trainscope::app {

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

} // namespace trainscope::app
