#pragma once
// Content of a training log's line about an iteration, before its time is known.

#include "core/model/Time.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::trainlog {

// Heads that launchers and loggers put before a line: the rank ("  1: ", "[default0]:", "[rank0]:",
// "nid008276: ", "(worker pid=7) "), a stamp ("[2024-10-24 16:30:14]", "2026-05-19 19:51:11,322 -
// root - INFO - ") and words in brackets.

struct LogStamp {
    TimeNs time; // a local clock's as if that were UTC
    bool isUtc = false; // it names its zone
    DurationNs resolution; // 1 s, 1 ms: the moment lies within it
};

// Takes a date with a time off the front of `text`: "2024-10-24 16:30:14", with a fraction behind a
// point or comma, with "T", with a zone or none.
std::optional<LogStamp> takeStamp(std::string_view& text);

struct LineHead {
    std::string_view rank; // the last of the prefixes that tell ranks apart; may be empty
    std::optional<LogStamp> stamp;
    std::string_view rest; // without blanks before it
    std::string_view whole; // as the log has it
};
LineHead splitHead(std::string_view line);

struct LoggedValue {
    std::string_view key; // as written
    std::string_view text; // "13.3TFLOPS", "833,525"
};

struct StepLine {
    enum class Kind {
        Step, // the end of an iteration, or of several since the last line
        Values, // for that iteration, which another line marks: a validation
        Pause, // something that is no training begins here: validation, a checkpoint
        Resume, // training begins here, or goes on; `index` iterations are done
    };
    // Things that other lines tell of between the step before and this one; of several the last.
    enum class Between { Nothing, Checkpoint, Evaluation };
    Kind kind = Kind::Step;
    Between between = Between::Nothing;
    std::int64_t index = 0; // as the log numbers
    std::optional<double> secondsEach; // one iteration's, the mean since the last line
    std::optional<double> elapsedS; // from the start of training to the end of this iteration
    std::optional<LogStamp> stamp; // its end's
    std::string_view rank; // if the line names it otherwise than by a prefix
    std::string_view opens; // an interval that begins here: "run", "block", "eval"
    std::string_view closes; // one that ends here
    std::string_view interval; // its number, where it has one: of several that overlap
    // Keys, texts and the rank are views into the line, or into the dialect's memory.
    std::vector<LoggedValue> values;

    // Keeps the room of the values.
    void clear() {
        auto room = std::move(values);
        room.clear();
        *this = {};
        values = std::move(room);
    }
};

// A step's line that lives on: a StepLine only views what it says.
class KeptLine {
public:
    KeptLine(const StepLine& line, std::string_view rank);
    // Views into this one.
    [[nodiscard]] StepLine line() const;

private:
    StepLine m_line; // without views
    std::string m_rank;
    std::string m_opens;
    std::string m_closes;
    std::string m_interval;
    std::vector<std::pair<std::string, std::string>> m_values;
};

// The keys and values in the rest of a step's line.

// "lm loss: 1.08E+01 | grad norm: 0.1 | lr 6.00e-04 | 123.4 ms | 48.4% bf16 MFU |": parts between
// bars, each a key with a value behind a colon or a blank, or a number with what it counts behind.
void readBars(std::string_view text, std::vector<LoggedValue>& values);

// The same between commas: "loss 2.3345, time 123.45ms, mfu 12.34%".
void readCommas(std::string_view text, std::vector<LoggedValue>& values);

// "loss:  7.86752  grad_norm: 28.1 tps: 9,236": a key without blanks, a colon, a value without
// blanks.
void readWords(std::string_view text, std::vector<LoggedValue>& values);

} // namespace trainscope::importers::trainlog
