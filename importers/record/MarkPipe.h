#pragma once
// MarkPipe: a named pipe into which a training script writes what it does, a line each. A line is
// stamped when it arrives.
//
//   STEP [RANK] [KEY=VALUE]…   a step begins, of the whole run or of one rank, and ends the one
//                              before; "12", "12 3", "12 tokens=65536 samples=64 loss=2.31". The
//                              number of the step under way begins none, and adds facts to it
//   KEY=VALUE…                 facts of the step under way
//   phase [NAME]               a stretch with that name begins, and ends the one before; without a
//                              name none begins
//   end [RANK]                 the last step ends, whose end is not known otherwise, so that it
//                              is left out; and the phase, where no rank is named
//
// The program that is watched keeps the reading end as well: were there no reader, the next line
// would end the script.

#include "core/model/Result.h"
#include "core/model/Run.h"
#include "core/model/StepFacts.h"

#include <map>
#include <memory>
#include <vector>

namespace trainscope::record {

// A fact of a step: a number under a name.
struct MarkedValue {
    std::string key; // "loss"; of letters, digits and . _ - /, begins with a letter
    int rank = -1; // -1: of the whole run
    TimeNs time; // the line's arrival; for tokens and samples the begin of the step
    double value = 0.0; // NaN for missing, as a loss of "nan"
};

struct Marks {
    std::vector<Iteration> ended;
    std::vector<MarkedValue> values;
    std::vector<NamedPhase> phases; // the ones that ended
};

class MarkPipe {
public:
    // Io where `folder` takes no pipe. Pipes there that killed programs left behind go.
    static Result<MarkPipe> create(const std::string& folder);
    [[nodiscard]] const std::string& path() const { return m_pipe->path; }
    [[nodiscard]] int descriptor() const { return m_pipe->file; } // readable when a mark has come

    // Marks that have arrived by now.
    Marks take(TimeNs now);
    // The phase under way; its range ends where it begins.
    [[nodiscard]] const std::optional<NamedPhase>& phase() const { return m_phase; }
    [[nodiscard]] std::int64_t notUnderstood() const { return m_notUnderstood; }
    [[nodiscard]] const std::string& firstNotUnderstood() const { return m_firstNotUnderstood; }

private:
    struct Pipe {
        std::string path;
        int file = -1;
        ~Pipe(); // and it is gone
    };

    explicit MarkPipe(std::unique_ptr<const Pipe> pipe)
        : m_pipe(std::move(pipe)) { }
    void takeLine(std::string_view line, TimeNs now, Marks& marks);
    bool takeStep(std::string_view text, TimeNs now, Marks& marks);
    bool takeFacts(std::string_view text, int rank, TimeNs now, Marks& marks);
    bool takeEnd(std::string_view rank, TimeNs now, Marks& marks);
    void endStep(int rank, TimeNs now, Marks& marks);
    void endPhase(TimeNs now, Marks& marks);

    struct Open {
        std::int64_t index = 0;
        TimeNs begin;
    };
    std::unique_ptr<const Pipe> m_pipe;
    std::string m_rest; // the part of a line that has arrived
    std::map<int, Open> m_open; // by rank; -1: the whole run
    std::optional<NamedPhase> m_phase;
    std::int64_t m_notUnderstood = 0;
    std::string m_firstNotUnderstood;
};

} // namespace trainscope::record
