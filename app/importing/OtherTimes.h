#pragma once
// Finds series that two sources of one run recorded at different times. Of such series only one
// counts (core/analysis/statistics/SeriesSelection.h), and most likely two jobs have come under one
// name. One thread.

#include "core/model/Series.h"
#include "core/store/Store.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trainscope::app {

class OtherTimes {
public:
    // `store` must outlive this.
    explicit OtherTimes(const store::Store& store)
        : m_store(store) { }

    // Reads the series that the run has before the source adds its own. Those that cannot be read
    // are left out.
    void look(RunId run);
    void add(RunId run, SeriesId series, const SeriesDescription& description);
    void add(SeriesId series, std::span<const TimeNs> times);

    // A sentence, where there is something to say. What the source of that path gave before does
    // not count: it is replaced.
    [[nodiscard]] std::optional<std::string> warning(const std::string& sourcePath) const;

private:
    struct Given {
        RunId run;
        SeriesDescription description;
        TimeRange range;
    };
    [[nodiscard]] const Series* otherOf(const Given& given) const;

    const store::Store& m_store;
    std::map<RunId, std::vector<Series>> m_before;
    std::map<SeriesId, Given> m_given;
};

} // namespace trainscope::app
