#pragma once
// MarkPipe: a named pipe into which a training script writes the begin of each of its iterations, a
// line each: "12", or "12 3" for the one that rank 3 begins. A line is stamped when it arrives. The
// line "end" (or "end 3") ends the last one, whose end is not known otherwise, so that it is left
// out.
//
// The program that is watched keeps the reading end as well: were there no reader, the next line
// would end the script.

#include "core/model/Result.h"
#include "core/model/Run.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::record {

class MarkPipe {
public:
    // Io where `folder` takes no pipe. Pipes there that killed programs left behind go.
    static Result<MarkPipe> create(const std::string& folder);
    MarkPipe(MarkPipe&& other) noexcept;
    MarkPipe& operator=(MarkPipe&& other) noexcept;
    ~MarkPipe(); // and it is gone

    [[nodiscard]] const std::string& path() const { return m_path; }
    [[nodiscard]] int descriptor() const { return m_file; } // readable when a mark has come

    // Iterations that ended with what has arrived by now.
    std::vector<Iteration> take(TimeNs now);
    [[nodiscard]] std::int64_t notUnderstood() const { return m_notUnderstood; }
    [[nodiscard]] const std::string& firstNotUnderstood() const { return m_firstNotUnderstood; }

private:
    MarkPipe(std::string path, int file)
        : m_path(std::move(path))
        , m_file(file) { }
    void takeLine(std::string_view line, TimeNs now, std::vector<Iteration>& ended);

    struct Open {
        std::int64_t index = 0;
        TimeNs begin;
    };
    std::string m_path;
    int m_file;
    std::string m_rest; // of a line that has not wholly arrived
    std::map<int, Open> m_open; // by rank; -1: the whole run
    std::int64_t m_notUnderstood = 0;
    std::string m_firstNotUnderstood;
};

} // namespace trainscope::record
