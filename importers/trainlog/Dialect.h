#pragma once
// A dialect: how the training logs of a framework mark iterations, and what they say of the run's
// settings in lines of their own. A new one is a row in Dialects.cpp, and a pair of files where its
// lines are of no known shape.

#include "importers/launch/Settings.h"
#include "importers/trainlog/StepLine.h"

#include <algorithm>
#include <memory>
#include <span>

namespace trainscope::importers::trainlog {

// Rows of a table that have other than the cells of its head.
struct LeftOutRows {
    std::int64_t count = 0;
    std::size_t cells = 0; // in the first of them
    std::size_t cellsOfHead = 0;
};

// Reads the lines of one log in order; keeps what later lines need.
class DialectReader {
public:
    DialectReader() = default;
    DialectReader(const DialectReader&) = delete;
    DialectReader& operator=(const DialectReader&) = delete;
    virtual ~DialectReader() = default;

    // True where the line ends an iteration or speaks of one; `step` comes cleared. The views in it
    // live until the next line.
    virtual bool readStep(const LineHead& line, StepLine& step) = 0;
    // At the end of the log: true where an iteration was held back for lines that did not come.
    virtual bool finish(StepLine& step) {
        (void)step;
        return false;
    }
    [[nodiscard]] virtual LeftOutRows leftOut() const { return {}; }
    // Reads one run's columns of a table with those of several; empty: all.
    virtual void keepRun(std::string_view /*run*/) { }
    // A setting in a line of its own, by Megatron's names (launch/ReadFields.cpp).
    virtual void readSetting(const LineHead& line, launch::Settings& settings) {
        (void)line;
        (void)settings;
    }
};

struct Dialect {
    std::string_view id; // "megatron"
    std::string_view name; // for people: "Megatron-LM, GPT-NeoX"
    // Text in each line of a step: others are passed over once the dialect is known. In capitals
    // and small letters as written.
    std::string_view mark;
    std::unique_ptr<DialectReader> (*reader)();
    // Its lines carry times or durations; else an iteration has no length.
    bool hasTimes = true;
    bool tellsMore = false; // a log without iterations has intervals and evaluations
    bool isOfLibrary = false; // lines that programs print of the same iterations say more
    std::size_t fewest = 1; // lines that look like it, before they are taken for it
};

// In the order in which they are asked.
std::span<const Dialect> dialects();

std::unique_ptr<DialectReader> mllogReader();
std::unique_ptr<DialectReader> jsonLinesReader();
std::unique_ptr<DialectReader> tableReader(); // Lightning's metrics.csv
// The runs that the head of a table names before its columns ("run-a - train/loss"), in order;
// empty where there are not several.
std::vector<std::string> runsOfHead(std::string_view line);
std::unique_ptr<DialectReader> composerReader();
std::unique_ptr<DialectReader> deepSpeedChatReader();
std::unique_ptr<DialectReader> huggingFaceReader();
std::unique_ptr<DialectReader> trainerStateReader();
std::unique_ptr<DialectReader> progressBarReader(); // Lightning's
std::unique_ptr<DialectReader> parameterGolfReader();
std::unique_ptr<DialectReader> scriptReader();

// A whole number off the front of `text`, with blanks before it.
std::optional<std::int64_t> takeIndex(std::string_view& text);
bool takeIndex(std::string_view& text, StepLine& step); // as that of the step
// "/ 1000" or "/1000" off the front.
void skipTotal(std::string_view& text);
void setSetting(launch::Settings& settings, std::string_view key, std::string_view value);
// Takes the whole part of a number, unless it is none or too large.
void setWhole(launch::Settings& settings, std::string_view key, double value);
// Text behind `mark`, up to one of `ends`; empty where the mark is not there.
std::string_view behind(std::string_view text, std::string_view mark, std::string_view ends);

// The state of a progress bar of tqdm: "10%|█  | 100/1000 [01:40<15:00,  1.00s/it, loss=2.3]".
struct ProgressBar {
    std::int64_t done = 0;
    std::int64_t total = 0;
    double elapsedS = 0.0; // to the second
    std::optional<double> secondsEach; // one of them took, as of late
    std::string_view values; // behind the rate, up to the bracket
};
std::optional<ProgressBar> progressBarIn(std::string_view text);

// Meaning of a number under "time": seconds since the start where it grows from line to line as
// iterations do, else those of one iteration. The first line does not tell the two apart.

class RunningTime {
public:
    // `step.index` is known; sets `elapsedS` or `secondsEach`.
    void note(double seconds, StepLine& step) {
        const auto last = std::exchange(m_last, std::pair(step.index, seconds));
        if (last && step.index > last->first) {
            const double grown = seconds - last->second;
            const double paced = last->second * static_cast<double>(step.index - last->first)
                / static_cast<double>(std::max<std::int64_t>(last->first, 1));
            m_isRunning = m_isRunning.value_or(true) && grown > 0.0
                && (m_isRunning.has_value() || grown >= kGrowth * paced);
        }
        if (m_isRunning.value_or(true))
            step.elapsedS = seconds;
        else
            step.secondsEach = seconds;
    }

private:
    static constexpr double kGrowth = 0.5; // share of the growth that iterations at one pace make

    std::optional<std::pair<std::int64_t, double>> m_last; // iteration and number
    std::optional<bool> m_isRunning;
};

} // namespace trainscope::importers::trainlog
