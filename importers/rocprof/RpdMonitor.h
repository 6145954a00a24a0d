#pragma once
// Readings of GPUs in a database of rocmProfileData (rocpd_monitor), as series. The tracer polls
// every millisecond and writes a row for as long as a value stayed what it was: the polls are made
// of the row again, so that means and integrals count each value for its time.

#include "core/model/Import.h"
#include "importers/sqlite/ForeignDatabase.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::importers::rocprof {

class RpdMonitor {
public:
    // The rank of a GPU by its number; absent: of none.
    using RankOf = std::function<std::optional<int>(std::int64_t gpu)>;
    RpdMonitor(Sink& sink, RunId run, RankOf rankOf)
        : m_sink(sink)
        , m_run(run)
        , m_rankOf(std::move(rankOf)) { }

    // The table's rows, in any order. Counts and remarks go into the report.
    Status read(ForeignDatabase& database, const std::string& file, ImportReport& report);

private:
    struct Row {
        std::int64_t start = 0;
        std::int64_t end = 0;
        double value = 0.0;
    };
    using Key = std::pair<std::int64_t, std::string>; // GPU and what was read

    Status write(const Key& key, std::vector<Row>& rows, ImportReport& report);

    Sink& m_sink;
    RunId m_run;
    RankOf m_rankOf;
};

} // namespace trainscope::importers::rocprof
