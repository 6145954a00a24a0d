#pragma once
// The answers of a store that come from the samples of a series, not from its pyramid; see Store.h.

#include "core/store/database/Database.h"
#include "core/store/samples/SampleReader.h"
#include "core/store/samples/SeriesPyramid.h"

namespace trainscope::store {

// The samples of a series in a window, chunk by chunk, pulled by the reader; SI. One thread at a
// time, as the database it reads from.
class SampleStream {
public:
    SampleStream(Database& database, const SeriesShape& series, TimeRange window);
    // The next samples, valid until the next call; none at the end. Unreadable where chunks are
    // damaged, or missing before later ones.
    Result<SampleView> next();

private:
    SampleReader m_reader;
    Database& m_database;
    TimeRange m_window;
    double m_scale;
    std::int64_t m_end; // samples
    std::int64_t m_next = -1; // sample; -1: not yet known
    std::vector<TimeNs> m_times;
    std::vector<double> m_values;
};

Result<std::optional<double>> queryValueAt(Database& database, const SeriesShape& series, TimeNs t);
Result<std::optional<Sample>> queryLastBefore(
    Database& database, const SeriesShape& series, TimeNs t);
Result<WindowStatistics> queryStatistics(
    Database& database, const SeriesShape& series, TimeRange window);
Status visitSamples(
    Database& database, const SeriesShape& series, TimeRange window, const SampleVisitor& visit);

} // namespace trainscope::store
