#pragma once
// MeterLog: one telemetry file while it is read into the table of readings, with the facts known of
// the file.

#include "importers/common/MeterTable.h"
#include "importers/common/Stamp.h"
#include "importers/common/StampGate.h"

namespace trainscope::importers {

// Times that the user states because the file leaves them open.
struct MeterClock {
    DurationNs utcOffset; // subtracted from local stamps
    std::optional<TimeNs> start = {}; // for readings without a stamp; else the epoch
    std::optional<DurationNs> period = {}; // between them; else 1 s, which is told
};

// Places where the clock of a log goes back: summer time ends, somebody sets it, or two logs lie
// behind each other in one file.
class ClockFalls {
public:
    // `jitter`: falls of loggers that write beside one another are no longer than that.
    explicit ClockFalls(DurationNs jitter = {})
        : m_jitter(jitter) { }
    // The next row of a GPU, or reading of a series. Less than the step before it is no fall:
    // recorders jitter.
    void row(std::size_t slot, TimeNs time, std::int64_t line);

    // The rows that follow have times of their own.
    void restart() {
        for (GpuClock& gpu : m_gpus)
            gpu.last.reset();
    }

    struct Fall {
        std::int64_t line = 0;
        DurationNs size;
    };
    [[nodiscard]] const std::optional<Fall>& first() const { return m_first; }
    // The first one, which must be there, and how many there are.
    [[nodiscard]] std::string inWords(std::optional<StampKind> stamps) const;

private:
    struct GpuClock {
        std::optional<TimeNs> last;
        DurationNs period;
        int falls = 0;
    };
    DurationNs m_jitter;
    std::vector<GpuClock> m_gpus; // by slot
    std::optional<Fall> m_first;
    int m_count = 0; // all GPUs fall together
};

// One file while it is read: where its readings go, how its times are meant, and what it showed.
// Readings of a stamp that lies far from those before wait (StampGate.h); those of a damaged one
// are left out, as one skipped row.
class MeterLog {
public:
    MeterLog(MeterTable& table, ImportReport& report, std::string file, MeterClock clock)
        : m_table(table)
        , m_report(report)
        , m_file(std::move(file))
        , m_clock(clock) { }

    [[nodiscard]] MeterTable& table() { return m_table; }
    [[nodiscard]] ImportReport& report() { return m_report; }
    void setLine(std::int64_t line) { m_line = line; }
    [[nodiscard]] std::int64_t line() const { return m_line; }
    // Makes the file a switch's: readings of the file's own node become those of that switch.
    void setSwitch(std::string device) { m_switch = std::move(device); }
    // Run to read from a file with several; empty: all.
    void setPart(std::string part) { m_part = std::move(part); }
    [[nodiscard]] const std::string& part() const { return m_part; }
    // Subtracted from all stamps: the clock is that far ahead of the others.
    void setShift(DurationNs shift) { m_shift = shift; }
    [[nodiscard]] const std::string& switchName() const { return m_switch; }

    // A line or member that could not be understood.
    void skip(std::string text);
    void warn(std::string text, Severity severity = Severity::Doubtful);
    // The file ends here, before its end.
    void breakOff(const Error& error);
    [[nodiscard]] bool isCutShort() const { return m_isCutShort; }
    void row() { ++(m_isWaiting ? m_moments.back().rows : m_report.rows); }
    // The file says that the reading before is there a second time.
    void duplicate() { ++m_report.counts["duplicate readings"]; }

    // The time of the readings that follow. A time of day is one of the day of the start; where it
    // falls by half a day, the next began.
    [[nodiscard]] TimeNs at(const Stamp& stamp);
    // Time of the n-th reading of a file without stamps.
    [[nodiscard]] TimeNs at(std::int64_t reading);
    [[nodiscard]] bool hasStart() const { return m_clock.start.has_value(); } // it is said
    // One moment for what has no stamp at all.
    [[nodiscard]] TimeNs now() { return at(std::int64_t{0}); }
    // Stamps begin anew: a series behind another has the same times again.
    Status restart();

    // Adds a value, in the unit that `what` says; a subject that cannot be is a skipped row.
    Status add(const Who& who, const SeriesDescription& what, TimeNs time, double value);
    // Adds a value of a channel of the table. `once`: where the channel has that time already, the
    // reading is a duplicate.
    Status add(std::size_t channel, TimeNs time, double value, bool once);
    // Adds values of the subject's fields (MeterTable::setFields); NaN: missing.
    Status addRow(std::size_t subject, TimeNs time, std::span<const double> values);
    // Behind the last reading, or before other fields.
    Status finish();
    // A device that the file names, with or without readings.
    Status know(const Who& who);
    // A name of the source that no table knows: kept as a metric of its own, and listed.
    void sawOwn(std::string_view name) { m_own.emplace(name); }
    void completeFacts();

    [[nodiscard]] std::optional<StampKind> clockKind() const { return m_kind; }
    [[nodiscard]] std::optional<TimeNs> firstStamp() const { return m_first; }
    [[nodiscard]] std::optional<TimeNs> lastStamp() const { return m_last; }

private:
    struct Reading {
        std::size_t channel = 0;
        TimeNs time;
        double value = 0.0;
        bool once = false;
    };
    struct WholeRow {
        std::size_t subject = 0;
        TimeNs time;
        std::vector<double> values;
    };
    // Readings of one stamp that waits.
    struct Moment {
        Stamp stamp;
        TimeNs time; // its readings'
        std::int64_t line = 0;
        std::int64_t rows = 0;
        std::vector<Reading> readings;
        std::vector<WholeRow> wholeRows;
    };
    [[nodiscard]] TimeNs start() const { return m_clock.start.value_or(TimeNs{}); }
    void enter(const Stamp& stamp);
    [[nodiscard]] TimeNs timeOf(const Stamp& stamp);
    Status take(const Reading& reading);
    Status takeRow(std::size_t subject, TimeNs time, std::span<const double> values);
    Status release(const std::vector<bool>& areDamaged);
    Status release(const Moment& moment);
    double checked(const SeriesDescription& known, const SeriesDescription& what, double value);

    MeterTable& m_table;
    ImportReport& m_report;
    std::string m_file;
    MeterClock m_clock;
    std::int64_t m_line = 0;
    std::string m_switch;
    std::string m_part;
    DurationNs m_shift;
    std::set<std::string, std::less<>> m_own;
    std::optional<StampKind> m_kind; // the first good stamp's
    std::optional<TimeNs> m_first; // as written
    std::optional<TimeNs> m_last;
    WallClock m_wall;
    StampGate m_gate;
    std::optional<TimeNs> m_stamp; // the stamp of the readings to come
    std::vector<Moment> m_moments; // those waiting
    bool m_isWaiting = false; // the readings that come are of the last of them
    Status m_status; // from those released
    bool m_isCutShort = false;
    bool m_isPeriodAssumed = false;
    ClockFalls m_falls{{1'000'000'000}};
};

// Part of a text for a warning.
std::string meterExcerpt(std::string_view text);

} // namespace trainscope::importers
