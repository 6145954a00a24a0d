#include "core/store/LostParts.h"

#include "core/model/Import.h"
#include "core/model/Try.h"
#include "core/store/Connection.h"
#include "core/store/Store.h"
#include "core/store/samples/SampleReader.h"
#include "core/store/spans/SpanReader.h"

#include <algorithm>

namespace trainscope::store {

namespace {

constexpr std::size_t kMostNamed = 8;

std::string ofRank(const std::string& name, int rank) {
    return rank < 0 ? name : name + " of rank " + std::to_string(rank);
}

} // namespace

std::string LostParts::text() const {
    std::string text;
    const std::size_t named = std::min(names.size(), kMostNamed);
    for (std::size_t i = 0; i < named; ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    return named == names.size() ? text
                                 : text + " and " + std::to_string(names.size() - named) + " more";
}

bool isLoss(const Database& database, const Status& status) {
    return !status.hasValue() && status.error().code == ErrorCode::Unreadable
        && status.error().where == database.shownPath();
}

Result<LostParts> lostParts(
    const Store& store, const Source& source, const std::function<bool()>& goesOn) {
    Database& database = store.connection().database;
    const auto proceed = [&goesOn] { return goesOn() ? Status() : Status(cancelled()); };
    const auto passSamples = [&](auto, auto) { return proceed(); };
    std::set<NameId> known;
    const auto readNames = [&](std::span<const Span> spans) -> Status {
        for (const Span& span : spans) {
            for (const NameId id : {span.name, span.detail}) {
                if (id.isValid() && !known.contains(id))
                    RETURN_IF_ERROR(store.name(id));
                known.insert(id);
            }
        }
        return proceed();
    };
    LostParts parts;
    const auto note = [&](auto id, const std::string& name, const Status& read, auto& lost) {
        if (!read.hasValue() && !isLoss(database, read))
            return read;
        if (read.hasValue()) {
            ++parts.whole;
        } else {
            lost.insert(id);
            parts.names.push_back(name);
        }
        return Status();
    };
    for (const RunId run : source.runs) {
        ASSIGN_OR_RETURN(const auto series, store.series(run));
        for (const Series& one : series) {
            const SeriesDescription& said = one.description;
            if (one.source == source.id)
                RETURN_IF_ERROR(note(one.id, ofRank(said.metric.name, said.subject.rank),
                    readAll(database, one, passSamples), parts.series));
        }
        ASSIGN_OR_RETURN(const auto tracks, store.tracks(run));
        for (const Track& one : tracks) {
            if (one.source == source.id)
                RETURN_IF_ERROR(note(one.id, ofRank(one.description.name, one.description.rank),
                    readAll(database, one, readNames), parts.tracks));
        }
    }
    return parts;
}

Status readAll(Database& database, const Series& series,
    const std::function<Status(std::span<const std::int64_t>, std::span<const double>)>& visit) {
    SampleReader reader(database, series.id);
    std::int64_t read = 0;
    Status visited;
    RETURN_IF_ERROR(reader.forEach(0, series.count, [&](auto times, auto values) {
        read += static_cast<std::int64_t>(times.size());
        visited = visit(times, values);
        return visited.hasValue();
    }));
    if (visited.hasValue() && read != series.count)
        return database.damaged("the index of samples");
    return visited;
}

Status readAll(Database& database, const Track& track,
    const std::function<Status(std::span<const Span>)>& visit) {
    SpanStream stream(database, track.id, kAllTime);
    std::int64_t read = 0;
    while (true) {
        ASSIGN_OR_RETURN(const auto spans, stream.next());
        if (spans.empty())
            break;
        read += static_cast<std::int64_t>(spans.size());
        RETURN_IF_ERROR(visit(spans));
    }
    return read == track.count ? Status() : Status(database.damaged("the index of spans"));
}

} // namespace trainscope::store
