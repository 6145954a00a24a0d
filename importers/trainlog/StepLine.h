#pragma once
// Content of a training log's line about an iteration, before its time is known.

#include "core/model/Time.h"
#include "importers/trainlog/LineHead.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainscope::importers::trainlog {

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
    Kind kind = Kind::Step;
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

} // namespace trainscope::importers::trainlog
